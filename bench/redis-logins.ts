import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { createGuard, type Decision } from '../src/index.ts';
import type { Store } from '../src/stores/store.ts';
import type { RedisServer } from '../test/servers/redis-server.ts';
import { middleOf, type Report } from './runner.ts';

/** What the login benches on Redis share: the attempts, ours and the peer's, and how they are measured. */

export const peer = 'rate-limiter-flexible 11, 4 limiters';
const rounds = 3;
const roundMs = 700;
const warmUpMs = 300;
/** Of failures that follow their checks, all rounds together. */
const failuresMs = 4_000;
/** Subjects with a failure behind them, which checks are about. Failures are about new ones: else all were blocked soon. */
const known = 5_000;

export interface Login {
  readonly account: string;
  readonly ip: string;
  readonly ua: string;
  readonly device: string;
}

export type Attempt = (login: Login) => Promise<unknown>;

export interface Sample {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly serverMicrosPerOp: number;
  readonly commandsPerOp: number;
}

/** Check and fail of a system. */
export interface Logins {
  readonly check: Attempt;
  readonly fail: Attempt;
}

export function loginsOf(store: Store): Logins {
  const secret = 'a secret of the bench, long enough';
  const guard = createGuard({ store, secret, environment: 'bench', failure: { deadlineMs: null } });
  const onStore = async (deciding: Promise<Decision>): Promise<void> => {
    const { mode } = await deciding;
    if (mode !== 'NORMAL') throw new TypeError(`The guard decided without the store, in mode ${mode}.`);
  };
  const requestOf = ({ account, ip, ua, device }: Login) =>
    ({ action: 'auth.login', account, ip, ua, device: { id: device, confidence: 'MEDIUM' } }) as const;
  return {
    check: (login) => onStore(guard.check(requestOf(login))),
    fail: (login) => onStore(guard.fail(requestOf(login))),
  };
}

export function limitersOf(storeClient: Redis | Cluster): Logins {
  const limiters = ['account', 'ip', 'agent', 'device'].map(
    (keyPrefix) => new RateLimiterRedis({ storeClient, keyPrefix, points: 1_000_000_000, duration: 259_200 }),
  );
  const keysOf = ({ account, ip, ua, device }: Login) => [account, ip, `${ip} ${ua}`, device];
  const all = (login: Login, use: (limiter: RateLimiterRedis, key: string) => Promise<unknown>) => {
    const keys = keysOf(login);
    return Promise.all(limiters.map((limiter, index) => use(limiter, keys[index] ?? '')));
  };
  return {
    check: (login) => all(login, (limiter, key) => limiter.get(key)),
    fail: (login) => all(login, (limiter, key) => limiter.consume(key, 1)),
  };
}

/** Gives everybody that checks are about a failure. */
export async function makeKnown(...systems: readonly Logins[]): Promise<void> {
  for (let index = 0; index < known; index += 1) {
    await Promise.all(systems.map(({ fail }) => fail(loginOf(index))));
  }
}

function loginOf(index: number): Login {
  const ip = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  return {
    account: `account-${index}`,
    ip,
    ua: 'Mozilla/5.0 Chrome/140.0.0.0 Safari/537.36',
    device: `device-${index}`,
  };
}

let checked = 0;
export function knownLogin(): Login {
  checked = (checked + 1) % known;
  return loginOf(checked);
}

let made = known;
export function newLogin(): Login {
  made += 1;
  return loginOf(made);
}

/** Ours and theirs at the same work, and what it cost the servers. */
export async function compare(
  report: Report,
  servers: readonly RedisServer[],
  name: string,
  attempts: { ours: () => Promise<unknown>; theirs: () => Promise<unknown> },
  concurrencies: readonly number[],
): Promise<void> {
  const shards = servers.length;
  const each = shards === 1 ? '' : ', each shard';
  for (const concurrency of concurrencies) {
    const { ours: own, theirs: other } = await measureInTurns(servers, attempts, concurrency);
    const at = `${name}, ${concurrency} at once`;
    report({
      metric: `${at}${each} (/s)`,
      ours: own.perSecond / shards,
      peer,
      peerValue: other.perSecond / shards,
    });
    report({ metric: `${at}, p50 (ms)`, ours: own.p50Ms, peer, peerValue: other.p50Ms, better: 'lower' });
    report({ metric: `${at}, p99 (ms)`, ours: own.p99Ms, peer, peerValue: other.p99Ms, better: 'lower' });
    report({
      metric: `${at}, server CPU (µs each)`,
      ours: own.serverMicrosPerOp,
      peer,
      peerValue: other.serverMicrosPerOp,
      better: 'lower',
    });
  }
}

/**
 * Keeps `concurrency` attempts of each kind going for a round, then those of the next, and again: whatever else the machine
 * does hits all of them. The middle of each number counts.
 */
export async function measureInTurns<Name extends string>(
  servers: readonly RedisServer[],
  attempts: Readonly<Record<Name, () => Promise<unknown>>>,
  concurrency: number,
): Promise<Record<Name, Sample>> {
  const names = Object.keys(attempts) as Name[];
  const samples = new Map<Name, Sample[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) samples.get(name)?.push(await measure(servers, attempts[name], concurrency));
  }
  const middles = names.map((name) => [name, middleOf(samples.get(name) ?? [])]);
  return Object.fromEntries(middles) as Record<Name, Sample>;
}

/** One round: the attempts, and the servers, which serve nobody else meanwhile. */
async function measure(
  servers: readonly RedisServer[],
  attempt: () => Promise<unknown>,
  concurrency: number,
): Promise<Sample> {
  // Before the warm-up: a forced collection takes optimised code with it.
  globalThis.gc?.();
  await drive(attempt, concurrency, warmUpMs);
  await sleep(20);
  const before = await usage(servers);
  const startedAtMs = performance.now();
  const latencies = await drive(attempt, concurrency, roundMs);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const after = await usage(servers);
  latencies.sort((a, b) => a - b);
  return {
    perSecond: latencies.length / seconds,
    p50Ms: latencies[Math.floor(latencies.length * 0.5)] ?? Number.NaN,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
    serverMicrosPerOp: (after.cpuMicros - before.cpuMicros) / latencies.length,
    // The reading of the usage is a command too.
    commandsPerOp: (after.commands - before.commands - servers.length) / latencies.length,
  };
}

/**
 * The failures of attempts alone: a batch is checked first, which is not counted, then all of it fails at once. So a
 * failure meets what its check has just read, as it does in every sign-in. The systems take turns, batch by batch. Gives
 * the failures per second of each.
 */
export async function measureFailures(systems: readonly Logins[], concurrency: number): Promise<number[]> {
  const endAtMs = performance.now() + failuresMs;
  const failingMs = systems.map(() => 0);
  let failures = 0;
  while (performance.now() < endAtMs) {
    for (const [index, { check, fail }] of systems.entries()) {
      const logins = Array.from({ length: concurrency }, newLogin);
      await Promise.all(logins.map(check));
      const startedAtMs = performance.now();
      await Promise.all(logins.map(fail));
      failingMs[index] = (failingMs[index] ?? 0) + performance.now() - startedAtMs;
    }
    failures += concurrency;
  }
  return failingMs.map((spentMs) => failures / (spentMs / 1_000));
}

async function drive(attempt: () => Promise<unknown>, concurrency: number, forMs: number): Promise<number[]> {
  const endAtMs = performance.now() + forMs;
  const latencies: number[] = [];
  const worker = async (): Promise<void> => {
    while (performance.now() < endAtMs) {
      const startedAtMs = performance.now();
      await attempt();
      latencies.push(performance.now() - startedAtMs);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return latencies;
}

async function usage(servers: readonly RedisServer[]): Promise<{ cpuMicros: number; commands: number }> {
  let [cpuMicros, commands] = [0, 0];
  for (const server of servers) {
    const info = await server.cli('INFO', 'everything');
    const field = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
    const cpu = field('used_cpu_user_main_thread') + field('used_cpu_sys_main_thread');
    cpuMicros += cpu * 1_000_000;
    commands += field('total_commands_processed');
  }
  return { cpuMicros, commands };
}
