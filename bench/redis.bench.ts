import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { Key, Records, StoredRecord } from '../src/core/records.ts';
import { createGuard, type Decision } from '../src/index.ts';
import { createRedisStore } from '../src/stores/redis/index.ts';
import type { Store } from '../src/stores/store.ts';
import { type RedisServer, startRedis } from '../test/servers/redis-server.ts';
import type { Report } from './runner.ts';

/**
 * Login attempts on one Redis server: ours (account, network and device groups, all rules) beside four limiters of
 * rate-limiter-flexible (account, address, address with user agent, device) with ioredis, its quickest client. Both
 * run in this process, one after the other, on the same server.
 */
const peer = 'rate-limiter-flexible 11, 4 limiters';
const concurrencies = [1, 64, 512];
const roundMs = 1_500;
const deadlineMs = 2_000;
/** Subjects with a failure behind them, which checks are about. Failures are about new ones: else all were blocked soon. */
const known = 5_000;

interface Login {
  readonly account: string;
  readonly ip: string;
  readonly ua: string;
  readonly device: string;
}

type Attempt = (login: Login) => Promise<unknown>;

interface Sample {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly serverMicrosPerOp: number;
  readonly commandsPerOp: number;
}

export async function run(report: Report): Promise<void> {
  const server = await startRedis();
  const store = createRedisStore({ url: server.url, deadlineMs });
  const client = new Redis(server.port, server.host);
  try {
    await store.ping();
    const ours = loginsOf(store);
    const theirs = limitersOf(client);
    for (let index = 0; index < known; index += 1)
      await Promise.all([ours.fail, theirs.fail].map((fail) => fail(loginOf(index))));
    await compare(report, server, 'check', { ours: ours.check, theirs: theirs.check }, knownLogin);
    await compare(report, server, 'fail', { ours: ours.fail, theirs: theirs.fail }, newLogin);
    await compareHotKey(report, server, store, theirs.fail);
    await measureBlocked(report, server, ours);
  } finally {
    await store.close();
    client.disconnect();
    await server.stop();
  }
}

async function compare(
  report: Report,
  server: RedisServer,
  name: string,
  attempts: { ours: Attempt; theirs: Attempt },
  next: () => Login,
): Promise<void> {
  for (const concurrency of concurrencies) {
    const other = await measure(server, () => attempts.theirs(next()), concurrency);
    const own = await measure(server, () => attempts.ours(next()), concurrency);
    const at = `${name}, ${concurrency} at once`;
    report({ metric: `${at} (decisions/s)`, ours: own.perSecond, peer, peerValue: other.perSecond });
    report({ metric: `${at}, p50 (ms)`, ours: own.p50Ms, peer, peerValue: other.p50Ms, better: 'lower' });
    report({ metric: `${at}, p99 (ms)`, ours: own.p99Ms, peer, peerValue: other.p99Ms, better: 'lower' });
    report({
      metric: `${at}, server CPU (µs/decision)`,
      ours: own.serverMicrosPerOp,
      peer,
      peerValue: other.serverMicrosPerOp,
      better: 'lower',
    });
  }
}

/** One account under 512 failures at once. The step stands in for the rules, which would block it at once. */
async function compareHotKey(
  report: Report,
  server: RedisServer,
  store: Store,
  theirs: Attempt,
): Promise<void> {
  const login = newLogin();
  const keys = ['K4', 'K1', 'K2', 'K3'].map(
    (kind): Key<Count> => ({ text: `portcullis:bench:hot:1:${kind}:{hot}`, was: null }),
  );
  const other = await measure(server, () => theirs(login), 512);
  const own = await measure(
    server,
    () => store.transact(keys, (records, now) => countAll(keys, records, now)),
    512,
  );
  report({
    metric: 'one hot key, 512 at once (failures/s)',
    ours: own.perSecond,
    peer,
    peerValue: other.perSecond,
  });
  report({
    metric: 'one hot key, server CPU (µs/failure)',
    ours: own.serverMicrosPerOp,
    peer,
    peerValue: other.serverMicrosPerOp,
    better: 'lower',
  });
}

async function measureBlocked(
  report: Report,
  server: RedisServer,
  ours: { check: Attempt; fail: Attempt },
): Promise<void> {
  const login = newLogin();
  for (let failures = 0; failures < 4; failures += 1) await ours.fail(login);
  const { commandsPerOp, perSecond } = await measure(server, () => ours.check(login), 64);
  report({ metric: 'blocked checks (decisions/s)', ours: perSecond, peer: null, peerValue: null });
  report({
    metric: 'blocked checks (commands per 1,000)',
    ours: commandsPerOp * 1_000,
    peer: null,
    peerValue: null,
  });
}

interface Count extends StoredRecord {
  readonly count: number;
}

function countAll(keys: readonly Key<Count>[], records: Records, now: number): void {
  for (const key of keys) {
    const count = (records.get(key)?.count ?? 0) + 1;
    records.put(key, { at: now, count }, { keepMs: 3_600_000, softMs: 0, hardMs: 0 });
  }
}

function loginsOf(store: Store): { check: Attempt; fail: Attempt } {
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

function limitersOf(storeClient: Redis): { check: Attempt; fail: Attempt } {
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

function loginOf(index: number): Login {
  const ip = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  return {
    account: `account-${index}`,
    ip,
    ua: 'Mozilla/5.0 Chrome/140.0.0.0 Safari/537.36',
    device: `device-${index}`,
  };
}

/** Keeps `concurrency` attempts going for a round and measures them, and the server, which serves nobody else. */
async function measure(
  server: RedisServer,
  attempt: () => Promise<unknown>,
  concurrency: number,
): Promise<Sample> {
  await drive(attempt, concurrency, roundMs / 5);
  globalThis.gc?.();
  await sleep(20);
  const before = await usage(server);
  const startedAtMs = performance.now();
  const latencies = await drive(attempt, concurrency, roundMs);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const after = await usage(server);
  latencies.sort((a, b) => a - b);
  return {
    perSecond: latencies.length / seconds,
    p50Ms: latencies[Math.floor(latencies.length * 0.5)] ?? Number.NaN,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
    serverMicrosPerOp: (after.cpuMicros - before.cpuMicros) / latencies.length,
    // The reading of the usage is a command too.
    commandsPerOp: (after.commands - before.commands - 1) / latencies.length,
  };
}

let checked = 0;
function knownLogin(): Login {
  checked = (checked + 1) % known;
  return loginOf(checked);
}

let made = known;
function newLogin(): Login {
  made += 1;
  return loginOf(made);
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

async function usage(server: RedisServer): Promise<{ cpuMicros: number; commands: number }> {
  const info = await server.cli('INFO', 'everything');
  const field = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
  const cpu = field('used_cpu_user_main_thread') + field('used_cpu_sys_main_thread');
  return { cpuMicros: cpu * 1_000_000, commands: field('total_commands_processed') };
}
