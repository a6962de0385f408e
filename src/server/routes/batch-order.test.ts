import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chainsOf } from './batch-order.ts';

const device = (id: string) => ({ id, confidence: 'LOW' as const });

describe('the order of a batch', () => {
  it('keeps those apart that share nothing', () => {
    expect(
      chainsOf([
        { ip: '10.0.0.1', account: 'a' },
        { ip: '10.0.0.2', account: 'b' },
      ]),
    ).toEqual([[0], [1]]);
  });

  it.each([
    ['an account', { ip: '10.0.0.1', account: 'a' }, { ip: '10.0.0.2', account: 'a' }],
    ['an address', { ip: '10.0.0.1', account: 'a' }, { ip: '::ffff:10.0.0.1', account: 'b' }],
    ['a device', { ip: '10.0.0.1', device: device('d') }, { ip: '10.0.0.2', device: device('d') }],
    ['a wide prefix', { ip: '2001:db8:1::1' }, { ip: '2001:db8:ffff::1' }],
    ['an address that is none', { ip: 'x' }, { ip: 'y' }],
  ])('joins those that share %s', (_, one, other) => {
    expect(chainsOf([one, { ip: '192.0.2.1', account: 'z' }, other])).toEqual([[0, 2], [1]]);
  });

  it('joins over others: a shares with b, b with c', () => {
    const items = [
      { ip: '10.0.0.1', account: 'a' },
      { ip: '10.0.0.3', account: 'c' },
      { ip: '10.0.0.1', account: 'c' },
    ];
    expect(chainsOf(items)).toEqual([[0, 1, 2]]);
  });

  it('takes every item once, in order, and never parts two that share something', () => {
    const item = fc.record({
      ip: fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.3', '2001:db8::1', '2001:db9::1'),
      account: fc.constantFrom('a', 'b', 'c', 'd', 'e', null),
      device: fc.constantFrom(null, device('x'), device('y')),
    });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 40 }), (items) => {
        const chains = chainsOf(items);
        expect(chains.flat().sort((a, b) => a - b)).toEqual(items.map((_, index) => index));
        for (const chain of chains) expect(chain).toEqual([...chain].sort((a, b) => a - b));
        const chainOf = new Map(chains.flatMap((chain, number) => chain.map((index) => [index, number])));
        items.forEach((a, i) => {
          items.forEach((b, j) => {
            const shares =
              a.ip === b.ip ||
              (a.account !== null && a.account === b.account) ||
              (a.device !== null && a.device === b.device);
            if (shares) expect(chainOf.get(i)).toBe(chainOf.get(j));
          });
        });
      }),
    );
  });
});
