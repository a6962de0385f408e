import { fork } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { credentials, makeGenericClientConstructor, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadServices } from '../src/server/grpc/service-definitions.ts';
import type { ServerName } from './grpc-servers.ts';
import { middleOf, type Report } from './runner.ts';

/**
 * ShouldRateLimit, beside a bare server of gRPC's own library that reads the same message and writes the same answer: what
 * is lost is what deciding costs. Each server in a process of its own, rounds taken in turns.
 */
const rounds = 7;
/** By number, not by time: on a busy machine both sides get to run compiled code all the same. */
const roundRequests = 6_000;
const warmUpRequests = 20_000;
const concurrency = 64;
const users = 1_000;
const peer = 'bare @grpc/grpc-js 1.14';

interface Sample {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Processor time of the server, in µs per request. */
  readonly cpuMicros: number;
}

interface Running {
  ask(request: object): Promise<void>;
  /** Processor time since the start, in µs. */
  usage(): Promise<number>;
  stop(): void;
}

export async function run(report: Report): Promise<void> {
  const samples: Record<ServerName, Sample[]> = { ours: [], bare: [] };
  const servers = new Map<ServerName, Running>();
  try {
    for (const name of ['bare', 'ours'] as const) servers.set(name, await start(name));
    for (let round = 0; round <= rounds; round += 1) {
      for (const [name, server] of servers) {
        const sample = await load(server, round === 0 ? warmUpRequests : roundRequests);
        if (round > 0) samples[name].push(sample);
      }
    }
  } finally {
    for (const server of servers.values()) server.stop();
  }
  const [ours, bare] = [middleOf(samples.ours), middleOf(samples.bare)];
  const row = (metric: string, of: (sample: Sample) => number, better: 'higher' | 'lower') =>
    report({ metric, ours: of(ours), peer, peerValue: of(bare), better });
  row('ShouldRateLimit, 64 at once (requests/s)', ({ perSecond }) => perSecond, 'higher');
  row('ShouldRateLimit, p99 (ms)', ({ p99Ms }) => p99Ms, 'lower');
  row('ShouldRateLimit, server CPU (µs/request)', ({ cpuMicros }) => cpuMicros, 'lower');
}

async function start(name: ServerName): Promise<Running> {
  const child = fork(fileURLToPath(new URL('./grpc-servers.js', import.meta.url)), [name], {
    execArgv: [],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const [port] = (await once(child, 'message')) as [number];
  const services = await loadServices();
  const Client: ServiceClientConstructor = makeGenericClientConstructor(
    services.rateLimit,
    'RateLimitService',
  );
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        client.ShouldRateLimit?.(request, (error: Error | null, answer: { overall_code: number }) => {
          if (error !== null) reject(error);
          else if (answer.overall_code === 1) resolve();
          else reject(new TypeError('The bench met a refusal.'));
        });
      }),
    usage: async () => {
      child.send('usage');
      const [micros] = (await once(child, 'message')) as [number];
      return micros;
    },
    stop: () => {
      client.close();
      child.disconnect();
    },
  };
}

async function load({ ask, usage }: Running, many: number): Promise<Sample> {
  const usedBefore = await usage();
  const startedAt = performance.now();
  let asked = 0;
  const latenciesMs: number[] = [];
  const requests = Array.from({ length: users }, (_, index) => ({
    domain: 'bench',
    descriptors: [{ entries: [{ key: 'user', value: `user-${index}` }] }],
  }));
  const work = async () => {
    while (asked < many) {
      const request = requests[asked % users] ?? {};
      asked += 1;
      const askedAt = performance.now();
      await ask(request);
      latenciesMs.push(performance.now() - askedAt);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  const elapsedMs = performance.now() - startedAt;
  latenciesMs.sort((a, b) => a - b);
  return {
    perSecond: (latenciesMs.length * 1_000) / elapsedMs,
    p99Ms: latenciesMs[Math.floor(latenciesMs.length * 0.99)] ?? Number.NaN,
    cpuMicros: ((await usage()) - usedBefore) / latenciesMs.length,
  };
}
