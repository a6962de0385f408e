// Which mutants no test comes by, which need a run of their own, and which can share one.

/**
 * A mutant that some file comes by while it loads, or in a hook before its tests, has to be there from loading on: it needs a
 * run alone, over the files that do so or that have a test that comes by it. `near(file, mutant)` says whether a test file
 * stands beside the mutant's: those run first, then the quickest.
 */
export function plan(mutants, tests, near) {
  const loaded = hitsById(tests, 'loaded');
  const hit = hitsById(tests, 'hits');
  const quickest = quickestFirst(tests);
  const groups = { alone: [], together: [], uncovered: [] };
  for (const mutant of mutants) {
    if (loaded.has(mutant.id)) {
      const found = [...loaded.get(mutant.id), ...(hit.get(mutant.id) ?? [])];
      groups.alone.push(orderFor(mutant, found, tests, quickest, near));
    } else if (hit.has(mutant.id)) groups.together.push(mutant.id);
    else groups.uncovered.push(mutant.id);
  }
  return groups;
}

function hitsById(tests, field) {
  const byId = new Map();
  for (const test of tests) {
    for (const [id, hits] of test[field]) {
      if (!byId.has(id)) byId.set(id, []);
      byId.get(id).push({ file: test.file, hits });
    }
  }
  return byId;
}

function orderFor(mutant, found, tests, quickest, near) {
  const known = new Set(found.map(({ file }) => file));
  const files = quickest
    .filter((file) => known.has(file))
    .sort((a, b) => Number(near(b, mutant)) - Number(near(a, mutant)));
  const hits = found.reduce((sum, item) => sum + item.hits, 0);
  const ms = tests.filter((test) => files.includes(test.file)).reduce((sum, test) => sum + test.ms, 0);
  return { active: mutant.id, hitLimit: 1_000 + hits * 100, files, limitMs: limitFor(ms) };
}

/** Long enough for a busy machine: endless loops are nearly always caught by counting, not by the clock. */
export function limitFor(ms) {
  return Math.ceil(60_000 + ms * 20);
}

/** Deals out a list to so many hands, one by one, so that neighbours, which take alike, are spread. */
export function deal(list, hands) {
  return Array.from({ length: hands }, (_, hand) => list.filter((_, index) => index % hands === hand));
}

/**
 * The test files, those with the shorter tests first: most mutants are gone before the long ones are repeated. The order
 * changes how long a run takes, not its verdicts.
 */
export function quickestFirst(tests) {
  const times = new Map();
  for (const { file, ms } of tests) times.set(file, [...(times.get(file) ?? []), ms]);
  const mean = (file) => times.get(file).reduce((sum, ms) => sum + ms, 0) / times.get(file).length;
  return [...times.keys()].sort((a, b) => mean(a) - mean(b) || (a < b ? -1 : 1));
}
