import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lendRetries, openLedger, settleLedger, spendRetry, takeBack } from './retry-ledger.ts';

/** A service in a random call tree: what it does, in order, and what becomes of its receipt. */
interface Node {
  readonly acts: readonly ('retry' | Node)[];
  /** Whether its receipt reaches the caller. */
  readonly answered: boolean;
  /** Whether its own receipt goes out before its children have answered. */
  readonly settlesEarly: boolean;
}

const { tree } = fc.letrec<{ tree: Node }>((tie) => ({
  tree: fc.record({
    acts: fc.array(fc.oneof({ depthSize: 'small' }, fc.constant('retry' as const), tie('tree')), {
      maxLength: 5,
    }),
    answered: fc.boolean(),
    settlesEarly: fc.boolean(),
  }),
}));

/** Plays a node with what it was lent; answers with the retries made in its subtree and what its receipt says. */
function play(node: Node, lent: number): { made: number; unused: number } {
  let ledger = openLedger(lent);
  let made = 0;
  const loans: { lent: number; unused: number }[] = [];
  for (const act of node.acts) {
    if (act === 'retry') {
      const spent = spendRetry(ledger);
      if (spent === null) continue;
      ledger = spent;
      made += 1;
      continue;
    }
    // All children run at the same time: every loan is out before the first comes back.
    const loan = lendRetries(ledger);
    ledger = loan.ledger;
    const child = play(act, loan.lent);
    made += child.made;
    if (act.answered) loans.push({ lent: loan.lent, unused: child.unused });
  }
  const early = node.settlesEarly ? settleLedger(ledger) : null;
  if (early !== null) ledger = early.ledger;
  for (const { lent: out, unused } of loans) ledger = takeBack(ledger, out, unused);
  for (let last = spendRetry(ledger); last !== null; last = spendRetry(ledger)) {
    if (!node.acts.includes('retry')) break;
    ledger = last;
    made += 1;
  }
  return { made, unused: early?.unused ?? settleLedger(ledger).unused };
}

describe('the retry budget of a call tree', () => {
  it('is never exceeded, whatever runs in parallel and whatever is lost', () => {
    fc.assert(
      fc.property(tree, fc.integer({ min: 0, max: 12 }), (root, budget) => {
        const { made, unused } = play(root, budget);
        expect(made + unused).toBeLessThanOrEqual(budget);
      }),
      { numRuns: 2_000 },
    );
  });

  it('loses nothing when every receipt comes back in time', () => {
    const calm = (node: Node): Node => ({
      acts: node.acts.map((act) => (act === 'retry' ? act : calm(act))),
      answered: true,
      settlesEarly: false,
    });
    fc.assert(
      fc.property(tree, fc.integer({ min: 0, max: 12 }), (root, budget) => {
        const { made, unused } = play(calm(root), budget);
        expect(made + unused).toBe(budget);
      }),
    );
  });

  it('gives each service of a chain of three one retry out of three', () => {
    const first = lendRetries(openLedger(3));
    const second = lendRetries(openLedger(first.lent));
    const third = lendRetries(openLedger(second.lent));
    expect([first.ledger.left, second.ledger.left, third.ledger.left]).toEqual([1, 1, 1]);
    expect(third.lent).toBe(0);
  });

  it('never lends the last retry', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), (left) => {
        const { ledger, lent } = lendRetries(openLedger(left));
        expect(ledger.left + lent).toBe(left);
        expect(ledger.left).toBeGreaterThanOrEqual(Math.min(left, 1));
      }),
    );
  });

  it('takes back no more than it lent', () => {
    expect(takeBack(openLedger(1), 2, 50).left).toBe(3);
    expect(takeBack(openLedger(1), 2, -50).left).toBe(1);
  });

  it('is empty once it has been handed back, and stays so', () => {
    const { ledger, unused } = settleLedger(openLedger(3));
    expect(unused).toBe(3);
    expect(spendRetry(ledger)).toBeNull();
    expect(takeBack(ledger, 2, 2).left).toBe(0);
    expect(settleLedger(ledger).unused).toBe(0);
  });
});
