import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fadedPressure,
  meanPressure,
  notePressure,
  type PressureRecord,
  pressureKey,
} from './pressure-record.ts';

function noted(words: readonly [node: string, pressure: number, at: number][]): PressureRecord | undefined {
  return words.reduce<PressureRecord | undefined>(
    (record, [node, pressure, at]) => notePressure(record, node, pressure, at),
    undefined,
  );
}

describe('the pressure of a service', () => {
  it('is the mean of its nodes', () => {
    const record = noted([
      ['a', 0.8, 0],
      ['b', 0, 100],
      ['c', 0.1, 200],
      ['a', 0.5, 300],
    ]);
    expect(meanPressure(record, 300)).toBeCloseTo(0.2, 9);
  });

  it('is 0 without a word', () => {
    expect(meanPressure(undefined, 0)).toBe(0);
  });

  it('fades when a node falls silent, then forgets it', () => {
    const record = noted([['a', 0.8, 0]]);
    expect(meanPressure(record, 5_000)).toBeCloseTo(0.8, 9);
    expect(meanPressure(record, 10_000)).toBeCloseTo(0.4, 9);
    expect(meanPressure(record, 15_000)).toBe(0);
    const both = noted([
      ['a', 0.8, 0],
      ['b', 0.3, 15_000],
    ]);
    expect(Object.keys(both?.nodes ?? {})).toEqual(['b']);
  });

  it('never grows by waiting', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(), fc.nat(), (pressure, ms, more) => {
        expect(fadedPressure(pressure, ms + more)).toBeLessThanOrEqual(fadedPressure(pressure, ms));
      }),
    );
  });

  it('keeps the words of at most 256 nodes, the latest', () => {
    const record = noted(Array.from({ length: 300 }, (_, index) => [`n${index}`, 1, index]));
    const kept = Object.keys(record?.nodes ?? {});
    expect(kept).toHaveLength(256);
    expect(kept).toContain('n299');
    expect(kept).not.toContain('n43');
  });

  it('does not count a node twice', () => {
    const all = Array.from({ length: 256 }, (_, index): [string, number, number] => [`n${index}`, 1, index]);
    const record = noted([...all, ['n255', 0, 300]]);
    expect(Object.keys(record?.nodes ?? {})).toHaveLength(256);
    expect(meanPressure(record, 300)).toBeCloseTo(255 / 256, 9);
  });

  it('does not go back in time', () => {
    const record = noted([
      ['a', 0.5, 1_000],
      ['b', 0.5, 400],
    ]);
    expect(record?.at).toBe(1_000);
    expect(record?.nodes.b?.at).toBe(1_000);
  });

  it('forgets who fell silent also after the clock was set back', () => {
    const hourAhead = 3_600_000;
    const early = notePressure(noted([['a', 0.9, hourAhead]]), 'b', 0.2, 0);
    expect(meanPressure(early, 0)).toBeCloseTo(0.2, 9);
    const later = notePressure(early, 'b', 0.2, 20_000);
    expect(meanPressure(later, 20_000)).toBeCloseTo(0.2, 9);
    expect(meanPressure(later, 35_000)).toBe(0);
  });

  it('has a key that names environment and service, in a slot of its own', () => {
    expect(pressureKey('prod', 'orders@2').text).toBe('portcullis:prod:concurrency:1:pressure:{orders@2}');
  });

  it.each(['', 'a b', '{x}', 'a:b', 'ü', 'x'.repeat(65), '-a'])('refuses the name %j', (name) => {
    expect(() => pressureKey('prod', name)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(() => pressureKey(name, 'orders')).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});
