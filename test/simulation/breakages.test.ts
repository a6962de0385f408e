import { describe, expect, test } from 'vitest';
import { guarantees, simulateSeed } from '../../src/testing/index.ts';
import { breakages } from './breakages.ts';

/** Rare worlds notice the rare breakages. */
const MOST_SEEDS = 600;

const pairs = breakages.flatMap(({ name, tampering, breaks }) =>
  breaks.map((guarantee) => [name, guarantee, tampering] as const),
);

describe('the simulator notices when', () => {
  test.each(pairs)('%s: %s', async (_, name, tampering) => {
    const held = guarantees.filter((guarantee) => guarantee.name === name);
    expect(held).toHaveLength(1);
    for (let seed = 1; seed <= MOST_SEEDS; seed += 1) {
      const { violation } = await simulateSeed(seed, { tampering, guarantees: held });
      if (violation === null) continue;
      expect(violation.guarantee).toBe(name);
      return;
    }
    expect.fail(`nothing was noticed in ${MOST_SEEDS} seeds`);
  });
});

test('every guarantee can be broken, and its breakage is kept', () => {
  const broken = new Set(breakages.flatMap(({ breaks }) => breaks));
  expect(guarantees.map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([]);
});
