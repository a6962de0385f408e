// Runs in vitest's worker before each test file. Turns the switches of the instrumented files, in one of three ways:
// `count`     no mutant; notes which test comes by which switch;
// `alone`     one mutant, from loading on, for those that take part while files load;
// `together`  after each test, repeats it with each pending mutant that it came by. Nothing is loaded again, so a
//             mutant costs no more than the tests it survives.
import { performance } from 'node:perf_hooks';
import { BroadcastChannel } from 'node:worker_threads';
import { configureGlobal } from 'fast-check';
import { afterEach, beforeEach, inject } from 'vitest';
import { limitFor } from './plan.mjs';
import { repeat } from './repeat.mjs';

const order = inject('mutation');

// The same inputs in every run, and no shrinking: who fails is all that is asked.
configureGlobal({ seed: 42, endOnFailure: true });

// One for all files of a worker: the instrumented files keep the function that they found when they were loaded.
globalThis.__mutation ??= { active: 0, hits: 0, hitLimit: 0, counts: new Map(), killed: new Set() };
const state = globalThis.__mutation;
globalThis.__mutant ??= order.mode === 'alone' ? isActive : countOrIsActive;

function isActive(id) {
  if (id !== state.active) return false;
  state.hits += 1;
  if (state.hits > state.hitLimit) throw new Error('mutant: passed far more often than the original');
  return true;
}

function countOrIsActive(id) {
  if (state.active !== 0) return isActive(id);
  state.counts.set(id, (state.counts.get(id) ?? 0) + 1);
  return false;
}

function drain() {
  const drained = [...state.counts].sort(([a], [b]) => a - b);
  state.counts.clear();
  return drained;
}

const modes = {
  count() {
    // Before a test: what loading and hooks came by. It belongs to every test of the file.
    beforeEach(({ task }) => {
      task.meta.loaded = drain();
    });
    afterEach(({ task }) => {
      task.meta.hits = drain();
    });
  },

  alone() {
    Object.assign(state, { active: order.active, hits: 0, hitLimit: order.hitLimit });
  },

  together() {
    const channel = new BroadcastChannel(order.channel);
    channel.unref();
    const pending = new Set(order.pending);
    const done = new Set(order.done);
    let startedMs = 0;
    let repeating = false;
    beforeEach(() => {
      if (repeating) return;
      drain();
      startedMs = performance.now();
    });
    afterEach(async ({ task }) => {
      const key = `${task.file.filepath} ${task.id}`;
      if (repeating || done.has(key)) return;
      repeating = true;
      const tookMs = performance.now() - startedMs;
      const chosen = drain().filter(([id]) => pending.has(id) && !state.killed.has(id));
      await tryMutants(task, chosen, tookMs, channel);
      channel.postMessage({ kind: 'done', key });
      repeating = false;
    });
  },
};

async function tryMutants(task, chosen, tookMs, channel) {
  if (chosen.length === 0) return;
  const original = await repeat(task);
  drain();
  if (original !== null) {
    channel.postMessage({ kind: 'unrepeatable', test: `${task.file.filepath} ${task.name}: ${original}` });
    return;
  }
  for (const [id, hits] of chosen) {
    channel.postMessage({ kind: 'begin', id, limitMs: limitFor(tookMs) });
    Object.assign(state, { active: id, hits: 0, hitLimit: 1_000 + hits * 100 });
    const failure = await repeat(task);
    state.active = 0;
    drain();
    if (failure !== null) state.killed.add(id);
    channel.postMessage({ kind: 'end', id, killed: failure !== null });
  }
}

modes[order.mode]();
