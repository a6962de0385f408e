// Host processes: what they are asked, and what happens when one does not come back.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../setup.mjs';

const hostFile = join(root, 'scripts', 'mutation', 'host.mjs');
const longestStartMs = 120_000;

/** One host process. It is started when it is first needed, and again after it had to be ended. */
class Host {
  #child;
  #settings;

  constructor(settings) {
    this.#settings = settings;
  }

  /**
   * The result of a run, or null when a limit passed or the process broke. The limit is `limitMs` until `onNews` (which gets what the worker
   * tells meanwhile) returns another one.
   */
  async run(order, limitMs, onNews = () => limitMs) {
    if (this.#child === undefined) {
      this.#child = fork(hostFile, [], { cwd: root, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      const started = await this.#ask(
        { kind: 'start', ...this.#settings },
        longestStartMs,
        () => longestStartMs,
      );
      if (started === null) throw new Error('a host did not start');
    }
    const result = await this.#ask({ kind: 'run', ...order }, limitMs, onNews);
    if (result === null) this.close();
    return result;
  }

  close() {
    this.#child?.removeAllListeners();
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  #ask(question, firstLimitMs, onNews) {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      let timer;
      const finish = (settle, value) => {
        clearTimeout(timer);
        child.removeAllListeners();
        settle(value);
      };
      const limit = (ms) => {
        clearTimeout(timer);
        timer = setTimeout(() => finish(resolve, null), ms);
      };
      limit(firstLimitMs);
      child.on('message', (message) => {
        if (message.kind !== 'answer') limit(onNews(message));
        else if (message.error !== undefined) finish(reject, new Error(message.error));
        else finish(resolve, message.result ?? true);
      });
      // A mutant can also eat all memory; that is no different from never coming back.
      child.once('exit', () => finish(resolve, null));
      child.send(question);
    });
  }
}

/** The one run without a mutant: every test, what it comes by and how long it takes. */
export async function runWithoutMutant(settings) {
  const host = new Host({ ...settings, isolate: true, bail: 0 });
  const longestMs = 30 * 60_000;
  try {
    return (
      (await host.run({ mode: 'count', files: null }, longestMs)) ?? {
        failures: ['they never end'],
        tests: [],
      }
    );
  } finally {
    host.close();
  }
}

/** Runs each of the orders by itself: `{active, hitLimit, files, limitMs}`. Tells `onVerdict(id, state)`. */
export async function runAlone(orders, settings, onVerdict) {
  const host = new Host({ ...settings, isolate: false, bail: 1 });
  try {
    for (const { limitMs, ...order } of orders) {
      const result = await host.run({ mode: 'alone', ...order }, limitMs);
      onVerdict(
        order.active,
        result === null ? 'timeout' : result.failures.length > 0 ? 'killed' : 'survived',
      );
    }
  } finally {
    host.close();
  }
}

/**
 * Runs mutants (their numbers) in one worker, test by test, over the test files in the order given. Tells `onVerdict(id, state)` of each, at the latest at the end.
 * Returns the tests that do not bear being repeated, with the reason.
 */
export async function runTogether(ids, files, settings, onVerdict) {
  const host = new Host({ ...settings, isolate: false, bail: 0 });
  const pending = new Set(ids);
  const done = [];
  const unrepeatable = [];
  let current = null;
  const settled = (id, state) => {
    pending.delete(id);
    onVerdict(id, state);
  };
  const idleMs = 30 * 60_000;
  const onNews = (news) => {
    current = news.kind === 'begin' ? news.id : null;
    if (news.kind === 'end' && news.killed) settled(news.id, 'killed');
    if (news.kind === 'done') done.push(news.key);
    if (news.kind === 'unrepeatable') unrepeatable.push(news.test);
    return news.limitMs ?? idleMs;
  };
  try {
    while (pending.size > 0) {
      const order = { mode: 'together', channel: 'mutants', files, pending: [...pending], done };
      const result = await host.run(order, idleMs, onNews);
      if (result !== null) break;
      if (current === null) throw new Error('a host broke without a mutant');
      settled(current, 'timeout');
    }
  } finally {
    host.close();
  }
  for (const id of [...pending]) settled(id, 'survived');
  return unrepeatable;
}
