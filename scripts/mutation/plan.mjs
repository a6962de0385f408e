// Which tests can notice which mutant, and how long that may take.
const longestNameList = 150;

/**
 * One order per mutant that some test comes by. Tests that come by it while they load, or in a hook, are run with
 * their whole file. `near(file, mutant)` says whether a test file stands beside the mutant's: those run first.
 *
 * @returns {{orders: object[], uncovered: object[]}}
 */
export function plan(mutants, tests, near) {
  const orders = [];
  const uncovered = [];
  for (const mutant of mutants) {
    const order = orderFor(mutant, tests, near);
    if (order === null) uncovered.push(mutant);
    else orders.push(order);
  }
  return { orders, uncovered };
}

function orderFor(mutant, tests, near) {
  const loading = new Set(tests.filter((test) => mutant.id in test.loaded).map((test) => test.file));
  const chosen = tests.filter((test) => loading.has(test.file) || mutant.id in test.hits);
  if (chosen.length === 0) return null;
  const files = [...new Set(chosen.map((test) => test.file))].sort(
    (a, b) => Number(near(b, mutant)) - Number(near(a, mutant)) || (a < b ? -1 : 1),
  );
  const hits = chosen.reduce(
    (sum, test) => sum + (test.hits[mutant.id] ?? 0) + (test.loaded[mutant.id] ?? 0),
    0,
  );
  const ms = chosen.reduce((sum, test) => sum + test.ms, 0);
  const byName = loading.size === 0 && chosen.length <= longestNameList;
  return {
    active: mutant.id,
    hitLimit: 1_000 + hits * 100,
    files,
    names: byName ? [...new Set(chosen.map((test) => test.name))].sort() : null,
    limitMs: Math.ceil(15_000 + ms * 10),
  };
}
