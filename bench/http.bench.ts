import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RedisServer, startRedis } from '../test/servers/redis-server.ts';
import { type Framework, frameworks, type LimiterName } from './http-servers.ts';
import { middleOf, type Report } from './runner.ts';
import { pressServer, type Running, type Sample, startServer } from './wrk-load.ts';

/**
 * Requests through Express and Fastify without a limiter, with the framework's own, with ours, and with a hook that only
 * sets the headers that ours sets, which no limiter that tells as much goes below: the same load, each server in a process
 * of its own, rounds taken in turns so that whatever else the machine does hits all of them. Load by `wrk`, 32
 * connections, a thousand callers.
 */
const limiters: readonly LimiterName[] = ['none', 'headers', 'peer', 'ours'];
const rounds = 11;
const roundSeconds = 1;
const warmSeconds = 3;
const connections = 32;
const callers = 1_000;

const peers = {
  memory: { express: 'express-rate-limit 8', fastify: '@fastify/rate-limit 11' },
  Redis: { express: 'rate-limiter-flexible 11, ioredis', fastify: '@fastify/rate-limit 11, ioredis' },
} as const;
type StoreName = keyof typeof peers;

export async function run(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-bench-'));
  const script = join(folder, 'callers.lua');
  writeFileSync(script, loadScript);
  let redis: RedisServer | undefined;
  try {
    for (const framework of frameworks) await compare(report, framework, 'memory', undefined, script);
    redis = await startRedis();
    for (const framework of frameworks) await compare(report, framework, 'Redis', redis.url, script);
  } finally {
    await redis?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(
  report: Report,
  framework: Framework,
  store: StoreName,
  redisUrl: string | undefined,
  script: string,
): Promise<void> {
  const samples = await measureInTurns(framework, redisUrl, script);
  const { none, headers, peer, ours } = samples;
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

/**
 * Each is warmed up before the next one starts: what idles for eight seconds before its first request has been through a
 * collection that some of Node's own functions come out of slower for good, and whoever started last would bear it.
 */
async function measureInTurns(
  framework: Framework,
  redisUrl: string | undefined,
  script: string,
): Promise<Record<LimiterName, Sample>> {
  const servers = new Map<LimiterName, Running>();
  const samples: Record<LimiterName, Sample[]> = { none: [], headers: [], peer: [], ours: [] };
  try {
    for (const limiter of limiters) {
      const server = await start(framework, limiter, redisUrl);
      servers.set(limiter, server);
      await pressServer(server, { script, connections, seconds: warmSeconds });
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const [limiter, server] of inTurn([...servers], round)) {
        samples[limiter].push(await pressServer(server, { script, connections, seconds: roundSeconds }));
      }
    }
  } finally {
    for (const server of servers.values()) server.stop();
  }
  return {
    none: middleOf(samples.none),
    headers: middleOf(samples.headers),
    peer: middleOf(samples.peer),
    ours: middleOf(samples.ours),
  };
}

/** Another one begins each round: whoever comes last on a machine that slows down is not always the same. */
function inTurn<T>(all: readonly T[], round: number): readonly T[] {
  const first = round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

function start(framework: Framework, limiter: LimiterName, redisUrl: string | undefined): Promise<Running> {
  const args = redisUrl === undefined ? [framework, limiter] : [framework, limiter, redisUrl];
  return startServer(new URL('./http-servers.js', import.meta.url), args, '/');
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
