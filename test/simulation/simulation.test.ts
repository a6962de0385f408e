import { describe, expect, test } from 'vitest';
import { rules } from '../../src/core/decision.ts';
import {
  cutScenario,
  makeScenario,
  readCut,
  reproCommand,
  searchSeeds,
  simulate,
  simulateSeed,
} from '../../src/testing/index.ts';
import { breakages } from './breakages.ts';
import { keptSeeds } from './kept-seeds.ts';

const SEEDS = 2_000;
const SEEDS_PER_TEST = 100;

/** What all worlds together have seen. */
const seen = new Set<string>();

describe('every guarantee holds at every step', () => {
  const starts = Array.from({ length: SEEDS / SEEDS_PER_TEST }, (_, index) => 1 + index * SEEDS_PER_TEST);
  test.each(starts)(`in the ${SEEDS_PER_TEST} worlds from seed %i on`, async (from) => {
    const result = await searchSeeds({ from, count: SEEDS_PER_TEST });
    for (const what of result.seen.keys()) seen.add(what);
    const { failing } = result;
    const repro = failing && `${failing.violation.what}: ${reproCommand(failing.seed, failing.cut)}`;
    expect(repro).toBeNull();
  });

  test.each(keptSeeds.map(({ why, ...kept }) => [why, kept] as const))(
    'in the world of %s',
    async (_, { seed, cut, shows }) => {
      const simulation = await simulate(cutScenario(makeScenario(seed), cut));
      expect(simulation.violation).toBeNull();
      expect(shows.filter((what) => !simulation.seen.has(what))).toEqual([]);
    },
  );
});

describe('the worlds', () => {
  test('meet every rule, every mode and every turn of a breaker', () => {
    const rulesSeen = rules.filter((rule) =>
      ['HARD_BLOCK', 'SOFT_BLOCK'].some((outcome) => seen.has(`rule ${rule} ${outcome}`)),
    );
    expect(rulesSeen).toEqual(rules);
    const others = [
      'check ALLOW DEGRADED',
      'check HARD_BLOCK DEGRADED',
      'check HARD_BLOCK FAIL_CLOSED',
      'succeed HARD_BLOCK NORMAL',
      'succeed HARD_BLOCK DEGRADED',
      'consume ALLOW FAIL_OPEN',
      'consume SOFT_BLOCK FAIL_OPEN',
      'consume HARD_BLOCK FAIL_CLOSED',
      'breaker tripped',
      'breaker closed',
      'critical',
    ];
    expect(others.filter((what) => !seen.has(what))).toEqual([]);
  });

  test('follow from their seeds alone', async () => {
    for (const seed of [1, 7, 42, 1_000, 123_456]) {
      const [one, other] = [await simulateSeed(seed), await simulateSeed(seed)];
      expect(other.traceHash).toBe(one.traceHash);
      expect(other.steps).toBe(one.steps);
    }
  });

  test('differ where a coin is thrown', async () => {
    const hashes = new Set<string>();
    for (let run = 0; run < 5; run += 1) {
      const { traceHash } = await simulateSeed(42, {
        guarantees: [],
        tampering: {
          failure: (settings) => ({ ...settings, deadlineMs: 1 + Math.floor(4 * Math.random()) }),
        },
      });
      hashes.add(traceHash);
    }
    expect(hashes.size).toBeGreaterThan(1);
  });
});

describe('a failing seed', () => {
  const broken = breakages.find(({ name }) => name === 'the breaker trips after five failures');

  test('is shrunk to what matters, and its command runs it again', async () => {
    const options = { tampering: broken?.tampering ?? {} };
    const { failing } = await searchSeeds({ from: 1, count: 100, ...options });
    if (failing === null) expect.fail('nothing failed');
    const scenario = makeScenario(failing.seed);
    const left = cutScenario(scenario, failing.cut);
    const movesOf = ({ actors }: typeof scenario) => actors.reduce((sum, { moves }) => sum + moves, 0);
    expect(movesOf(left)).toBeLessThan(movesOf(scenario) / 2);
    expect(left.nodes).toHaveLength(1);

    const words = reproCommand(failing.seed, failing.cut).split(' ');
    const textAfter = (name: string) => words[words.indexOf(`--${name}`) + 1];
    const optionOf = (name: string) => (words.includes(`--${name}`) ? textAfter(name) : undefined);
    const cut = readCut({
      'without-actors': optionOf('without-actors'),
      'without-troubles': optionOf('without-troubles'),
      nodes: optionOf('nodes'),
      moves: optionOf('moves'),
    });
    expect(cut).toEqual(failing.cut);
    const again = await simulate(cutScenario(makeScenario(Number(textAfter('seed'))), cut), options);
    expect(again.violation).toEqual(failing.violation);
  });
});
