// Runs in vitest's worker before each test file. Turns the switches of the instrumented files: in the first run, which is
// without a mutant, it counts which test comes by which switch; later it turns on the one that is asked for.
import { configureGlobal } from 'fast-check';
import { afterEach, beforeEach, inject } from 'vitest';

const { active, hitLimit } = inject('mutation');

// The same inputs in every run, and no shrinking: who fails is all that is asked.
configureGlobal({ seed: 42, endOnFailure: true });

if (active === null) count();
else if (globalThis.__mutant === undefined) activate();

function activate() {
  let hits = 0;
  globalThis.__mutant = (id) => {
    if (id !== active) return false;
    hits += 1;
    if (hits > hitLimit) throw new Error('mutant: the switch was passed far more often than without it');
    return true;
  };
}

function count() {
  let hits = {};
  globalThis.__mutant = (id) => {
    hits[id] = (hits[id] ?? 0) + 1;
    return false;
  };
  const drain = () => {
    const drained = hits;
    hits = {};
    return drained;
  };
  // Before a test: what loading and hooks came by. It belongs to every test of the file.
  beforeEach(({ task }) => {
    task.meta.loaded = drain();
  });
  afterEach(({ task }) => {
    task.meta.hits = drain();
  });
}
