import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleAll,
  retry,
  TimeoutStrategy,
  timeout,
  wrap,
} from 'cockatiel';
import CircuitBreaker from 'opossum';
import { type Dispatcher, Pool } from 'undici';
import { createSvcClient } from '../src/svc-client/index.ts';
import type { Report } from './runner.ts';

const CALLS = 4_000;
const ROUNDS = 15;
const AT_ONCE = 16;
const TIMEOUT_MS = 2_000;
const CONNECTIONS = 64;

const plain = 'undici 7';
const withPassport = 'with passport';
const withoutPassport = 'without passport';
const withCockatiel = 'undici 7 + cockatiel 3';
const withOpossum = 'undici 7 + opossum 9';

/** In a process of its own, so that what is measured is the client's CPU time and nothing else. */
const serverCode = `
const server = require('node:http').createServer((request, response) => response.end('ok'));
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(String(server.address().port)));
process.stdin.resume().on('end', () => process.exit());
`;

type Call = () => Promise<string>;

async function startServer(): Promise<{ readonly url: string; readonly server: ChildProcess }> {
  const server = spawn(process.execPath, ['-e', serverCode], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = await once(server.stdout, 'data');
  return { url: `http://127.0.0.1:${port}`, server };
}

/** CPU microseconds per call: on a busy machine steadier than time on the wall. */
async function cpuPerCallUs(call: Call, atOnce: number): Promise<number> {
  const before = process.cpuUsage();
  const worker = async () => {
    for (let i = 0; i < CALLS / atOnce; i += 1) {
      if ((await call()) !== 'ok') throw new TypeError('not the answer of the server');
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}

/**
 * All calls in turn, round by round, so that whatever else the machine does meets them alike. Without a forced
 * collection between rounds: at that moment no call is under way, V8 forgets the shapes of all their objects, and the
 * next round measures how it learns them again. A service always has calls under way. The least of all rounds counts:
 * what else runs on the machine can only add.
 */
async function measure(calls: Readonly<Record<string, Call>>, atOnce: number): Promise<Map<string, number>> {
  const rounds = new Map<string, number[]>(Object.keys(calls).map((name) => [name, []]));
  const inTurn = Object.entries(calls);
  for (let round = -2; round < ROUNDS; round += 1) {
    // Each pays a little for the garbage of the one before it, so the order moves on.
    inTurn.push(...inTurn.splice(0, 1));
    for (const [name, call] of inTurn) {
      const spentUs = await cpuPerCallUs(call, atOnce);
      // The first rounds warm up.
      if (round >= 0) rounds.get(name)?.push(spentUs);
    }
  }
  return new Map([...rounds].map(([name, values]) => [name, Math.min(...values)]));
}

function poolTo(url: string): Pool {
  return new Pool(url, { connections: CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 });
}

async function textOf({ statusCode, body }: Dispatcher.ResponseData): Promise<string> {
  if (statusCode !== 200) throw new TypeError(`status ${statusCode}`);
  return body.text();
}

/** Each with a timeout, a breaker, and, where the library has them, retries. */
function callsTo(url: string) {
  const pools = { plain: poolTo(url), cockatiel: poolTo(url), opossum: poolTo(url) };
  const options = { path: '/', method: 'GET' } as const;
  const policy = wrap(
    retry(handleAll, { maxAttempts: 3, backoff: new ExponentialBackoff() }),
    circuitBreaker(handleAll, { halfOpenAfter: 10_000, breaker: new ConsecutiveBreaker(5) }),
    timeout(TIMEOUT_MS, TimeoutStrategy.Cooperative),
  );
  const breaker = new CircuitBreaker(async () => textOf(await pools.opossum.request(options)), {
    timeout: TIMEOUT_MS,
  });
  const limits = { ratePerSecond: 1_000_000, burst: 1_000_000 };
  const clientOf = (passport: boolean) =>
    createSvcClient({
      self: 'bench@1',
      keys: [{ id: 'k1', secret: 'a secret for a bench of 32 bytes or more' }],
      globalPool: limits,
      targets: { 'echo@1': { url, pool: limits, timeoutMs: TIMEOUT_MS, connections: CONNECTIONS, passport } },
    });
  const clients = { [withPassport]: clientOf(true), [withoutPassport]: clientOf(false) };
  const ours = Object.entries(clients).map(([name, client]): [string, Call] => [
    name,
    async () => {
      const result = await client.call('echo@1', options);
      if (!result.ok) throw new TypeError(result.denied.reason);
      return result.response.body.text();
    },
  ]);
  const calls = {
    [plain]: async () => textOf(await pools.plain.request(options)),
    [withCockatiel]: () =>
      policy.execute(async ({ signal }) => textOf(await pools.cockatiel.request({ ...options, signal }))),
    [withOpossum]: () => breaker.fire(),
    ...Object.fromEntries(ours),
  };
  const close = () => {
    breaker.shutdown();
    return Promise.all([...Object.values(clients), ...Object.values(pools)].map((each) => each.close()));
  };
  return { calls, close };
}

/** What a call costs on rails, beside plain undici and what others make of it. Nobody else signs anything. */
export async function run(report: Report): Promise<void> {
  const { url, server } = await startServer();
  const { calls, close } = callsTo(url);
  for (const [load, atOnce] of Object.entries({ 'one at a time': 1, [`${AT_ONCE} at once`]: AT_ONCE })) {
    const spentUs = await measure(calls, atOnce);
    const spent = (name: string) => spentUs.get(name) ?? Number.NaN;
    for (const kind of [withPassport, withoutPassport]) {
      for (const peer of [plain, withCockatiel, withOpossum]) {
        const metric = `call, ${kind}, ${load} (CPU µs)`;
        report({ metric, ours: spent(kind), peer, peerValue: spent(peer), better: 'lower' });
      }
    }
  }
  await close();
  server.stdin?.end();
  await once(server, 'exit');
}
