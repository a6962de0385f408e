import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPressure, nextPressure, PressureMeter, parsePressure, refillScale } from './pressure.ts';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const elapsedMs = fc.double({ min: 0, max: 1e7, noNaN: true });

describe('nextPressure', () => {
  it('stays between 0 and 1', () => {
    fc.assert(
      fc.property(share, share, elapsedMs, (level, x, ms) => {
        const next = nextPressure(level, x, ms);
        expect(next).toBeGreaterThanOrEqual(0);
        expect(next).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('does not depend on how often it is asked', () => {
    fc.assert(
      fc.property(share, share, fc.double({ min: 0, max: 1e5, noNaN: true }), (level, x, ms) => {
        const inTwo = nextPressure(nextPressure(level, x, ms / 2), x, ms / 2);
        expect(inTwo).toBeCloseTo(nextPressure(level, x, ms), 9);
      }),
    );
  });

  it('settles where rise and leak are equal', () => {
    expect(nextPressure(0, 0.1, 1e7)).toBeCloseTo(0.5, 9);
    expect(nextPressure(1, 0.9, 1e7)).toBeCloseTo(0.9, 9);
    expect(nextPressure(1, 0, 1e7)).toBeCloseTo(0, 9);
  });
});

describe('PressureMeter', () => {
  it('makes shares of what is shed into a level', () => {
    const meter = new PressureMeter();
    expect(meter.read(0)).toBe(0);
    for (let i = 0; i < 10; i += 1) meter.count(i < 5 ? 1 : 0);
    expect(meter.read(1_000)).toBeCloseTo(nextPressure(0, 0.5, 1_000), 9);
  });

  it('falls while nothing is asked for', () => {
    const meter = new PressureMeter();
    meter.read(0);
    meter.count(1);
    const high = meter.read(5_000);
    expect(meter.read(15_000)).toBeCloseTo(high * Math.exp(-1), 9);
  });

  it.each([2_000, 30_000, 600_000])(
    'does not take one call that was shed for a silence of %d ms',
    (silentMs) => {
      const meter = new PressureMeter();
      meter.read(0);
      meter.count(0);
      meter.count(1);
      expect(meter.read(10)).toBe(0);
      const leak = Math.exp(-(silentMs - 1_000) / 10_000);
      expect(meter.read(silentMs)).toBeCloseTo(nextPressure(0, 0.5, 1_000) * leak, 9);
    },
  );

  it('does not jump at single calls', () => {
    const meter = new PressureMeter();
    meter.read(0);
    meter.count(1);
    expect(meter.read(99)).toBe(0);
    for (let i = 0; i < 99; i += 1) meter.count(0);
    expect(meter.read(100)).toBeCloseTo(nextPressure(0, 0.01, 100), 9);
  });
});

describe('a limit that has no number for its strain', () => {
  it('costs the meter that call and no other', () => {
    const meter = new PressureMeter();
    meter.read(0);
    meter.count(Number.NaN);
    meter.count(Number.POSITIVE_INFINITY);
    expect(meter.read(100)).toBeCloseTo(nextPressure(0, 0.5, 100), 9);
  });
});

describe('refillScale', () => {
  it.each([
    [0, 1],
    [0.4, 0.6],
    [0.9, 0.1],
    [0.95, 0.1],
    [1, 0.1],
    [7, 0.1],
    [-1, 1],
    [Number.NaN, 1],
  ])('makes %d into %d', (pressure, scale) => {
    expect(refillScale(pressure)).toBeCloseTo(scale, 12);
  });

  it('has a floor of its own on request', () => {
    expect(refillScale(1, 0.25)).toBe(0.25);
  });

  it('takes a text for no pressure', () => {
    expect(refillScale(JSON.parse('"0.9"'))).toBe(1);
  });

  it.each([Number.NaN, -0.1, 1.5, null, '0.5'])('refuses %j as a floor', (floor) => {
    expect(() => refillScale(0.9, floor as number)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('floor must be') }),
    );
  });
});

describe('the header', () => {
  it('reads back what it was given, to two decimals', () => {
    fc.assert(
      fc.property(share, (pressure) => {
        expect(parsePressure(formatPressure(pressure))).toBeCloseTo(pressure, 1.9);
      }),
    );
  });

  it.each([
    [-0.2, '0.00'],
    [1.7, '1.00'],
    [0.456, '0.46'],
  ])('writes %d as %s', (pressure, text) => {
    expect(formatPressure(pressure)).toBe(text);
  });

  it.each([
    '',
    ' 0.5',
    '0.5 ',
    '.5',
    '1.01',
    '-0.1',
    '1e-1',
    'NaN',
    '0,5',
    '0.5, 0.7',
    '00.5',
    null,
    undefined,
  ])('does not believe %j', (value) => {
    expect(parsePressure(value)).toBeNull();
  });
});
