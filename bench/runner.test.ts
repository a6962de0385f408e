import { describe, expect, it } from 'vitest';
import { medianOf, mediansOf, middleOf, toResult, toTable } from './runner.ts';

const measured = { metric: 'check (ops/s)', ours: 300, peer: 'peer 1', peerValue: 200 };

describe('toResult', () => {
  it('says how many times better we are where more is better', () => {
    expect(toResult('memory', measured)).toEqual({ bench: 'memory', ...measured, ratio: 1.5 });
  });

  it('turns the ratio around where less is better', () => {
    expect(toResult('memory', { ...measured, better: 'lower' }).ratio).toBe(0.667);
  });

  it('has no ratio without a peer, nor with a peer that measured nothing', () => {
    expect(toResult('memory', { ...measured, peer: null, peerValue: null }).ratio).toBeNull();
    expect(toResult('memory', { ...measured, peerValue: 0 }).ratio).toBeNull();
    expect(toResult('memory', { ...measured, peerValue: -2, better: 'lower' }).ratio).toBeNull();
  });
});

describe('toTable', () => {
  it('aligns numbers to the right and names to the left', () => {
    const alone = { metric: 'fail', ours: 1234567.8, peer: null, peerValue: null };
    expect(toTable([toResult('memory', measured), toResult('memory', alone)])).toEqual([
      "metric              ours  peer    peer's  ratio",
      'check (ops/s)        300  peer 1     200  1.50×',
      'fail           1,234,568  –            –      –',
    ]);
  });
});

describe('medianOf', () => {
  it('drops the round that warms up and takes the middle of the rest', async () => {
    const rounds = [1000, 5, 1, 3];
    expect(await medianOf(3, () => rounds.shift() ?? Number.NaN)).toBe(3);
  });
});

describe('mediansOf', () => {
  it('lets those that are compared take turns', async () => {
    const order: string[] = [];
    const values: Record<string, number[]> = { a: [9, 1, 2, 3], b: [9, 30, 10, 20] };
    const round = (name: string) => () => {
      order.push(name);
      return values[name]?.shift() ?? Number.NaN;
    };
    expect(await mediansOf(3, [round('a'), round('b')])).toEqual([2, 20]);
    expect(order.join('')).toBe('abababab');
  });
});

describe('middleOf', () => {
  it('has the middle of each number, whichever round it was', () => {
    const rounds = [
      { perSecond: 3, p99Ms: 10 },
      { perSecond: 1, p99Ms: 30 },
      { perSecond: 2, p99Ms: 20 },
    ];
    expect(middleOf(rounds)).toEqual({ perSecond: 2, p99Ms: 20 });
    expect(() => middleOf([])).toThrow('at least one round');
  });
});
