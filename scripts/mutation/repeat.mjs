// Runs a test once more, inside of vitest's worker, with the hooks that stand around it.
import { setMaxListeners } from 'node:events';
import { getFn, getHooks } from 'vitest/suite';

/** Null when the test passed, else what it failed with. */
export async function repeat(task) {
  // Every run of a test listens to its signal; a hundred runs are no leak.
  setMaxListeners(0, task.context.signal);
  const suites = suitesOf(task);
  const cleanups = [];
  let failure = null;
  try {
    for (const suite of suites) {
      for (const hook of getHooks(suite).beforeEach) cleanups.unshift(await hook(task.context, suite));
    }
    await getFn(task)();
  } catch (error) {
    failure = String(error?.message ?? error);
  }
  try {
    for (const suite of suites.toReversed()) {
      for (const hook of getHooks(suite).afterEach.toReversed()) await hook(task.context, suite);
    }
    for (const cleanup of cleanups) if (typeof cleanup === 'function') await cleanup();
  } catch (error) {
    failure ??= String(error?.message ?? error);
  }
  return failure;
}

/** From the file inwards. */
function suitesOf(task) {
  const suites = [task.file];
  const inner = [];
  for (let suite = task.suite; suite !== undefined && suite !== task.file; suite = suite.suite)
    inner.unshift(suite);
  return [...suites, ...inner];
}
