import { once } from 'node:events';
import { Cluster, Redis } from 'ioredis';
import type { Key, Records, StoredRecord } from '../src/core/records.ts';
import { createRedisStore } from '../src/stores/redis/index.ts';
import type { Store } from '../src/stores/store.ts';
import {
  knownLogin,
  type Logins,
  limitersOf,
  loginsOf,
  makeKnown,
  newLogin,
  returningLogin,
} from './redis-logins.ts';

/**
 * One side of the login benches on Redis, in a process of its own: `node redis-side.js ours|theirs one|cluster URL...`. A
 * service has one limiter; where both share a process, each bears the other's garbage. Works when it is told to, for a
 * while, and tells how that went.
 */
export type Side = 'ours' | 'theirs';
export type Place = 'one' | 'cluster';
export type Work =
  | 'check'
  | 'attempt'
  | 'fail after its check'
  | 'fail of returning logins'
  | 'fail of new logins'
  | 'fail on one account'
  | 'four records counted up'
  | 'check of a blocked login';

export interface Task {
  readonly work: Work;
  /** Operations that are under way at once. */
  readonly concurrency: number;
  readonly forMs: number;
  /** Whether it only prepares for the next one, which counts. */
  readonly isWarmUp: boolean;
}

/** What a task came to. */
export interface Round {
  readonly operations: number;
  /** In which something that counts was under way. */
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** What the server has spent in that time; null where all of the round counts, and whoever asked can measure it. */
  readonly serverMicros: number | null;
}

const deadlineMs = 2_000;
const failuresUntilBlocked = 4;

interface System {
  readonly logins: Logins;
  /** Four records counted up by a bare step, as the peer does it: what group commit alone is worth. */
  readonly count: () => Promise<unknown>;
}

async function systemOf(side: Side, place: Place, urls: readonly string[]): Promise<System> {
  if (side === 'theirs') {
    const client = place === 'cluster' ? new Cluster([...urls]) : new Redis(urls[0] ?? '');
    return { logins: limitersOf(client), count: notHere };
  }
  const where = place === 'cluster' ? { cluster: urls } : { url: urls[0] ?? '' };
  const store = createRedisStore({ ...where, deadlineMs });
  await store.ping();
  return { logins: loginsOf(store), count: countingOn(store) };
}

function notHere(): never {
  throw new TypeError('The peer has no such work.');
}

interface Count extends StoredRecord {
  readonly count: number;
}

function countingOn(store: Store): () => Promise<unknown> {
  const keys = ['K4', 'K1', 'K2', 'K3'].map(
    (kind): Key<Count> => ({ text: `portcullis:bench:hot:1:${kind}:{hot}`, was: null }),
  );
  return () => store.transact(keys, (records, now) => countAll(keys, records, now));
}

function countAll(keys: readonly Key<Count>[], records: Records, now: number): void {
  for (const key of keys) {
    const count = (records.get(key)?.count ?? 0) + 1;
    records.put(key, { at: now, count }, { keepMs: 3_600_000, softMs: 0, hardMs: 0 });
  }
}

/** Does what it is told, one task after the other. */
class Worker {
  readonly #system: System;
  /** For the servers' usage, beside the connection that works. */
  readonly #observers: readonly Redis[];
  readonly #hot = newLogin();
  #blocked = newLogin();

  constructor(system: System, observers: readonly Redis[]) {
    this.#system = system;
    this.#observers = observers;
  }

  async perform(task: Task): Promise<Round> {
    if (task.isWarmUp) {
      // Before the warm-up: a forced collection takes optimised code with it.
      globalThis.gc?.();
      if (task.work === 'check of a blocked login') await this.#block();
    }
    return task.work === 'fail after its check' ? this.#failBatches(task) : this.#keepGoing(task);
  }

  /** A new one each time: blocks of first offenders are short. */
  async #block(): Promise<void> {
    this.#blocked = newLogin();
    for (let failures = 0; failures < failuresUntilBlocked; failures += 1)
      await this.#system.logins.fail(this.#blocked);
  }

  #operationOf(work: Exclude<Work, 'fail after its check'>): () => Promise<unknown> {
    const { logins, count } = this.#system;
    const { check, fail } = logins;
    return {
      check: () => check(knownLogin()),
      attempt: async () => {
        const login = newLogin();
        await check(login);
        await fail(login);
      },
      'fail of returning logins': () => fail(returningLogin()),
      'fail of new logins': () => fail(newLogin()),
      'fail on one account': () => fail(this.#hot),
      'four records counted up': count,
      'check of a blocked login': () => check(this.#blocked),
    }[work];
  }

  async #keepGoing({ work, concurrency, forMs }: Task): Promise<Round> {
    const operation = this.#operationOf(work as Exclude<Work, 'fail after its check'>);
    const startedAtMs = performance.now();
    const endAtMs = startedAtMs + forMs;
    const latencies: number[] = [];
    const goOn = async (): Promise<void> => {
      while (performance.now() < endAtMs) {
        const beganAtMs = performance.now();
        await operation();
        latencies.push(performance.now() - beganAtMs);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, goOn));
    return roundOf(latencies, performance.now() - startedAtMs, null);
  }

  /**
   * The failures of attempts alone: a batch is checked first, which is not counted, then all of it fails at once. So a
   * failure meets what its check has just read, as it does in every sign-in.
   */
  async #failBatches({ concurrency, forMs }: Task): Promise<Round> {
    const { check, fail } = this.#system.logins;
    const endAtMs = performance.now() + forMs;
    const latencies: number[] = [];
    let spentMs = 0;
    let serverMicros = 0;
    while (performance.now() < endAtMs) {
      const logins = Array.from({ length: concurrency }, newLogin);
      await Promise.all(logins.map(check));
      const usedBefore = await this.#serverMicros();
      const startedAtMs = performance.now();
      const failOne = async (login: (typeof logins)[number]) => {
        await fail(login);
        latencies.push(performance.now() - startedAtMs);
      };
      await Promise.all(logins.map(failOne));
      spentMs += performance.now() - startedAtMs;
      serverMicros += (await this.#serverMicros()) - usedBefore;
    }
    return roundOf(latencies, spentMs, serverMicros);
  }

  async #serverMicros(): Promise<number> {
    const infos = await Promise.all(this.#observers.map((observer) => observer.info('cpu')));
    return infos.reduce((micros, info) => micros + cpuMicrosOf(info), 0);
  }
}

/** Processor time of a server's main thread, out of what `INFO` says. */
export function cpuMicrosOf(info: string): number {
  const field = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
  return 1_000_000 * (field('used_cpu_user_main_thread') + field('used_cpu_sys_main_thread'));
}

function roundOf(latencies: number[], spentMs: number, serverMicros: number | null): Round {
  latencies.sort((a, b) => a - b);
  const at = (part: number) => latencies[Math.floor(latencies.length * part)] ?? Number.NaN;
  return {
    operations: latencies.length,
    seconds: spentMs / 1_000,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    serverMicros,
  };
}

/** Only where it was started as a program: the benches import the types above. */
async function main([side, place, ...urls]: readonly string[]): Promise<void> {
  const system = await systemOf(side as Side, place as Place, urls);
  const observers = urls.map((url) => new Redis(url));
  await Promise.all(observers.map((observer) => once(observer, 'ready')));
  await makeKnown(system.logins);
  const worker = new Worker(system, observers);
  process.on('message', async (task: Task) => process.send?.(await worker.perform(task)));
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}

if (process.send !== undefined && process.argv[1]?.endsWith('redis-side.js')) {
  await main(process.argv.slice(2));
}
