import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../stores/memory/index.ts';
import { builtInScenarios } from './built-in-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { readScenarios, scenarioProblems } from './scenario-problems.ts';
import { createScenarios } from './scenarios.ts';

const good: Scenario = { name: 'mine', key: 'client', bucket: { capacity: 10, leakPerMinute: 1 } };

describe('a scenario', () => {
  it.each(builtInScenarios.map((scenario) => [scenario.name, scenario] as const))(
    '%s has no problem',
    (_, scenario) => {
      expect(scenarioProblems(scenario, 'at')).toEqual([]);
    },
  );

  it.each<[string, unknown, string[]]>([
    ['that is none', 'path-scan', ['at: must be an object, got a string of 9 characters']],
    ['with a field that there is not', { ...good, colour: 'red' }, ['at.colour: not a field of this']],
    [
      'without a condition',
      { name: 'mine', key: 'client' },
      ['at: must have a bucket, or a distinct with atLeast'],
    ],
    [
      'with both bounds',
      { ...good, distinct: [{ of: 'path', windowMs: 1_000, atLeast: 2, atMost: 2 }] },
      ['at.distinct[0]: must have either atLeast or atMost'],
    ],
    [
      'that only counts what is the same',
      { name: 'mine', key: 'client', distinct: [{ of: 'path', windowMs: 1_000, atMost: 2 }] },
      ['at: must have a bucket, or a distinct with atLeast'],
    ],
    [
      'that never leaks',
      { ...good, bucket: { capacity: 100_000, leakPerMinute: 1 } },
      ['at.bucket: must leak all of its capacity within a day'],
    ],
    [
      'that no number holds for',
      {
        ...good,
        filter: { query: [{ names: ['p'], from: 1, below: 2 }] },
        clearedBy: { query: [{ names: ['p'] }, { names: ['p'], from: 2, below: 2 }] },
      },
      ['at.clearedBy.query[1].below: must be more than from, or no number holds'],
    ],
    [
      'that does nothing',
      { ...good, response: { degrade: false, block: false } },
      ['at.response: must degrade, block or both; to only look, use shadow'],
    ],
    [
      'with a path that nothing would match',
      { ...good, filter: { paths: ['/files/*'], notPaths: ['/', '/files/*name'] } },
      [
        'at.filter.notPaths[1]: must be a path of at most 256 characters that starts with "/", with no pattern but ":name" for a segment and "*" for the last ones, got a string of 12 characters',
      ],
    ],
    [
      'with an allowlist of no ranges',
      { ...good, allow: { cidrs: ['10.0.0.0/99'] } },
      ['at.allow.cidrs[0] must be an address or a CIDR like 10.0.0.0/8, got a string of 11 characters'],
    ],
  ])('%s is told', (_, value, problems) => {
    expect(scenarioProblems(value, 'at')).toEqual(problems);
  });

  it('with many problems is told all of them, with their places', () => {
    const problems = scenarioProblems(
      {
        name: 'Not A Name',
        key: 'colour',
        filter: { status: ['9xx'], query: [{ names: [] }] },
        bucket: { capacity: 0, leakPerMinute: 1 },
        or: [{ key: 'client', bucket: { capacity: 'many', leakPerMinute: 1 } }],
        response: { block: { fromLevel: 9 } },
      },
      'scenarios[2]',
    );
    for (const place of [
      'name',
      'key',
      'filter.status[0]',
      'filter.query[0].names',
      'bucket.capacity',
      'or[0].bucket.capacity',
      'response.block.fromLevel',
    ]) {
      expect(problems.filter((problem) => problem.startsWith(`scenarios[2].${place}: `))).toHaveLength(1);
    }
    expect(problems.join()).not.toContain('Not A Name');
  });
});

describe('a list of scenarios', () => {
  it('begins with the built-in ones', () => {
    expect(readScenarios(undefined)).toEqual({ scenarios: builtInScenarios, problems: [] });
    expect(readScenarios([good]).scenarios.map(({ name }) => name)).toEqual([
      ...builtInScenarios.map(({ name }) => name),
      'mine',
    ]);
  });

  it('changes, replaces and ends built-in ones by their name', () => {
    const { scenarios, problems } = readScenarios([
      { name: 'scraping', shadow: true },
      { ...good, name: 'path-scan' },
      { name: 'header-twins', off: true },
    ]);
    expect(problems).toEqual([]);
    const byName = new Map(scenarios.map((scenario) => [scenario.name, scenario]));
    expect(byName.get('scraping')).toMatchObject({ shadow: true, bucket: { capacity: 240 } });
    expect(byName.get('path-scan')).toEqual({ ...good, name: 'path-scan' });
    expect(byName.has('header-twins')).toBe(false);
    expect(scenarios).toHaveLength(7);
  });

  it.each<[string, unknown, string]>([
    ['is a list', { name: 'x' }, 'scenarios: must be a list of at most 64 scenarios, got an object'],
    [
      'is not too long',
      Array(65).fill(good),
      'scenarios: must be a list of at most 64 scenarios, got an array of 65',
    ],
    ['has each name once', [good, good], 'scenarios[1].name: there is another one of this name'],
    [
      'knows what can be changed',
      [{ name: 'scraping', bucket: {} }],
      'scenarios[0].bucket: not a field of this',
    ],
    ['holds objects', [null], 'scenarios[0]: must be an object, got null'],
  ])('%s', (_, list, problem) => {
    expect(readScenarios(list)).toEqual({ scenarios: [], problems: [problem] });
  });

  it('is refused whole where it is given in code', () => {
    const make = () =>
      createScenarios({
        store: createMemoryStore(),
        secret: 'sixteen bytes or more',
        scenarios: [good, good],
      });
    expect(make).toThrow('scenarios[1].name: there is another one of this name');
  });
});

describe('scenarios in shadow', () => {
  const make = (shadow: unknown) => () =>
    createScenarios({
      store: createMemoryStore(),
      secret: 'sixteen bytes or more',
      scenarios: [good],
      shadow: shadow as boolean,
    });

  it.each([[['scrapping']], ['mine'], [[5]], [{}], [null], [1]])(
    'are named rightly, or refused: %j',
    (shadow) => {
      expect(make(shadow)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    },
  );

  it('are those that there are, or a built-in one that does not run', () => {
    expect(make(['mine', 'scraping'])().names).toEqual(['mine']);
    expect(make(['mine', 'min'])).toThrow('shadow[1]: must be one of mine, rotating-ips');
  });
});
