import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RedisServer, startRedis } from '../test/servers/redis-server.ts';
import { type Framework, frameworks, type LimiterName } from './http-servers.ts';
import type { Report } from './runner.ts';
import { pressServer, type Running, type Sample, startServer } from './wrk-load.ts';

/**
 * Requests through Express and Fastify without a limiter, with the framework's own, with ours, and with a hook that
 * only sets the headers that ours sets, which no limiter that tells as much goes below; and without a limiter but
 * with what ours mends on its way (`kept-tick.ts`, and for Express `one-class.ts`), by which all of a request is
 * quicker. Load by `wrk`, 32 connections, a thousand callers. `GET /` answers a few bytes, the worst case for every
 * limiter; the list is what a usual route of an API answers.
 *
 * Each server is a process of its own that has lived a while, and each contender is started anew several times: what
 * the compiler of V8 makes of one process it does not make of the next, and a machine that others use is slower for
 * seconds at a time. Both only ever add to what a request costs, and a middle would tell how often that happened. So
 * of each contender the best that any of its rounds has shown counts, each number for itself: one round may have had
 * the core to itself, and another one the caches. All have as many, in turns.
 */
const limiters: readonly LimiterName[] = ['none', 'mended', 'headers', 'peer', 'ours'];
const warmSeconds = 2;
/** After its rests a server compiles anew what a collection has taken along, which holds up requests for a second or two. */
const settleSeconds = 3;
const roundSeconds = 1;
const rounds = 2;
const connections = 32;
/** More than a server of which nothing is kept needs to have lost it all. */
const rests = 12;
const callsBetween = 5;
const callers = 1_000;

const peers = {
  memory: { express: 'express-rate-limit 8', fastify: '@fastify/rate-limit 11' },
  Redis: { express: 'rate-limiter-flexible 11, ioredis', fastify: '@fastify/rate-limit 11, ioredis' },
} as const;

/** What is compared in one go. */
interface Setting {
  readonly framework: Framework;
  readonly store: keyof typeof peers;
  readonly redisUrl?: string;
  readonly path: '/' | '/items';
  /** How often each contender is started. */
  readonly tries: number;
}

export async function run(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-bench-'));
  const script = join(folder, 'callers.lua');
  writeFileSync(script, loadScript);
  let redis: RedisServer | undefined;
  try {
    for (const framework of frameworks) {
      const bare: Setting = { framework, store: 'memory', path: '/', tries: 4 };
      compareBare(report, bare, await measure(bare, limiters, script));
      const list: Setting = { framework, store: 'memory', path: '/items', tries: 3 };
      compareList(report, list, await measure(list, ['none', 'peer', 'ours'], script));
    }
    redis = await startRedis();
    for (const framework of frameworks) {
      const bare: Setting = { framework, store: 'Redis', redisUrl: redis.url, path: '/', tries: 3 };
      compareBare(report, bare, await measure(bare, limiters, script));
    }
  } finally {
    await redis?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function compareBare(report: Report, { framework, store }: Setting, of: Measured): void {
  const [none, headers, peer, ours] = [of('none'), of('headers'), of('peer'), of('ours')];
  const names = { peer: peers[store][framework] };
  const at = `${framework}, ${store}`;
  const share = (sample: Sample) => (100 * sample.perSecond) / none.perSecond;
  const added = (sample: Sample) => sample.cpuMicros - none.cpuMicros;
  report({ metric: `${at} (requests/s)`, ours: ours.perSecond, ...names, peerValue: peer.perSecond });
  report({ metric: `${at}, of no limiter (%)`, ours: share(ours), ...names, peerValue: share(peer) });
  report({
    metric: `${at}, of no limiter (%)`,
    ours: share(ours),
    peer: 'its headers, bare',
    peerValue: share(headers),
  });
  report({
    metric: `${at}, of no limiter (%)`,
    ours: share(ours),
    peer: 'bare, mended',
    peerValue: share(of('mended')),
  });
  report({
    metric: `${at}, added CPU (µs/request)`,
    ours: added(ours),
    peer: 'its headers, bare',
    peerValue: added(headers),
    better: 'lower',
  });
  report({
    metric: `${at}, added CPU (µs/request)`,
    ours: added(ours),
    ...names,
    peerValue: added(peer),
    better: 'lower',
  });
  report({ metric: `${at}, p99 (ms)`, ours: ours.p99Ms, ...names, peerValue: peer.p99Ms, better: 'lower' });
}

function compareList(report: Report, { framework, store }: Setting, of: Measured): void {
  const share = (limiter: LimiterName) => (100 * of(limiter).perSecond) / of('none').perSecond;
  report({
    metric: `${framework}, ${store}, list of 50 items, of no limiter (%)`,
    ours: share('ours'),
    peer: peers[store][framework],
    peerValue: share('peer'),
  });
}

/** What was measured of a contender. */
type Measured = (limiter: LimiterName) => Sample;

async function measure(
  setting: Setting,
  contenders: readonly LimiterName[],
  script: string,
): Promise<Measured> {
  const samples = new Map<LimiterName, Sample[]>(contenders.map((limiter) => [limiter, []]));
  for (let turn = 0; turn < setting.tries; turn += 1) {
    await measureProcesses(setting, inTurn(contenders, turn), script, (limiter, sample) =>
      samples.get(limiter)?.push(sample),
    );
  }
  return (limiter) => bestOf(samples.get(limiter) ?? []);
}

/** One process of each. It is warmed up before the next one starts, so that none idles before its first request. */
async function measureProcesses(
  setting: Setting,
  contenders: readonly LimiterName[],
  script: string,
  note: (limiter: LimiterName, sample: Sample) => void,
): Promise<void> {
  const servers: [LimiterName, Running][] = [];
  try {
    for (const limiter of contenders) {
      const server = await start(setting, limiter);
      servers.push([limiter, server]);
      await pressServer(server, { script, connections, seconds: warmSeconds });
      await live(server);
      await pressServer(server, { script, connections, seconds: settleSeconds });
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const [limiter, server] of inTurn(servers, round)) {
        note(limiter, await pressServer(server, { script, connections, seconds: roundSeconds }));
      }
    }
  } finally {
    for (const [, server] of servers) server.stop();
  }
}

/**
 * What hours do to a server: now and then it has nothing to do, collects its garbage, and goes on. What V8 forgets meanwhile
 * makes many of its calls slower for good, unless somebody sees to it.
 */
async function live(server: Running): Promise<void> {
  for (let rest = 0; rest < rests; rest += 1) {
    await server.collect();
    for (let call = 0; call < callsBetween; call += 1) {
      const answer = await fetch(server.url, { headers: { 'x-user': 'user-1' } });
      await answer.text();
    }
  }
}

function bestOf(samples: readonly Sample[]): Sample {
  return samples.reduce((best, { perSecond, p50Ms, p99Ms, cpuMicros }) => ({
    perSecond: Math.max(best.perSecond, perSecond),
    p50Ms: Math.min(best.p50Ms, p50Ms),
    p99Ms: Math.min(best.p99Ms, p99Ms),
    cpuMicros: Math.min(best.cpuMicros, cpuMicros),
  }));
}

/** Another one begins each round: whoever comes last on a machine that slows down is not always the same. */
function inTurn<T>(all: readonly T[], round: number): readonly T[] {
  const first = round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

function start({ framework, redisUrl, path }: Setting, limiter: LimiterName): Promise<Running> {
  const args = redisUrl === undefined ? [framework, limiter] : [framework, limiter, redisUrl];
  return startServer(new URL('./http-servers.js', import.meta.url), args, path, ['--expose-gc']);
}

/** Requests of all callers are made once, so that the load costs wrk next to nothing. */
const loadScript = `
local requests = {}
local at = 0
init = function()
  for caller = 1, ${callers} do
    requests[caller] = wrk.format('GET', nil, {
      ['x-user'] = 'user-' .. caller,
      ['user-agent'] = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
    })
  end
end
request = function()
  at = at % ${callers} + 1
  return requests[at]
end
`;
