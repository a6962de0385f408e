// Runs mutants in a few host processes, each with a time limit.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../setup.mjs';

const hostFile = join(root, 'scripts', 'mutation', 'host.mjs');
// A host is replaced now and then, so that whatever a test runner keeps of its runs cannot pile up.
const runsPerHost = 400;

/** One host process and what it is asked. */
class Host {
  #child;
  #runs = 0;

  constructor(settings) {
    this.settings = settings;
  }

  /** The result of a run, or null when it took longer than `limitMs`. */
  async run(order, limitMs) {
    if (this.#runs >= runsPerHost) this.close();
    if (this.#child === undefined) await this.#start();
    this.#runs += 1;
    const result = await this.#ask({ kind: 'run', ...order }, limitMs);
    if (result === null) this.close();
    return result;
  }

  close() {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  async #start() {
    this.#runs = 0;
    this.#child = fork(hostFile, [], { cwd: root, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    if ((await this.#ask({ kind: 'start', ...this.settings }, 120_000)) === undefined)
      throw new Error('no host');
  }

  #ask(message, limitMs) {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const done = (settle) => {
        clearTimeout(timer);
        child.removeAllListeners();
        settle();
      };
      const timer = setTimeout(() => done(() => resolve(null)), limitMs);
      child.once('message', ({ result, error }) =>
        done(() => (error === undefined ? resolve(result ?? true) : reject(new Error(error)))),
      );
      child.once('exit', (code) => done(() => reject(new Error(`a host ended with ${code}`))));
      child.send(message);
    });
  }
}

/** The one run without a mutant: every test, what it comes by and how long it takes. */
export async function runWithoutMutant(settings) {
  const host = new Host({ ...settings, isolate: true });
  try {
    return await host.run({ active: null, hitLimit: 0, files: null, names: null }, 30 * 60_000);
  } finally {
    host.close();
  }
}

/**
 * Runs all orders, `jobs` at a time. `onResult(order, result)` gets null for a run that had to be ended.
 */
export async function runOrders(orders, settings, jobs, onResult) {
  const waiting = orders.values();
  const work = async () => {
    const host = new Host({ ...settings, isolate: false });
    try {
      for (const order of waiting) onResult(order, await host.run(order, order.limitMs));
    } finally {
      host.close();
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
}
