import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RedisServer } from '../test/servers/redis-server.ts';
import { cpuMicrosOf, type Place, type Round, type Side, type Task, type Work } from './redis-side.ts';
import { middleOf, type Report } from './runner.ts';

/** How the two sides of the login benches on Redis are measured: in turns, each in its own process, on the same servers. */

export const peer = 'rate-limiter-flexible 11, 4 limiters';
const rounds = 5;
const roundMs = 700;
/** A forced collection of garbage comes before it, and takes optimised code with it: that has to be made again first. */
const warmUpMs = 1_000;

/**
 * Works that leave new keys with each operation. Their rounds begin on empty servers: one that holds millions of keys of both
 * sides moves them to a larger table every now and then, and whoever works meanwhile would pay up to twice for its own.
 */
const growing: ReadonlySet<Work> = new Set(['attempt', 'fail after its check', 'fail of new logins']);

export interface Sample {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly serverMicrosPerOp: number;
  readonly commandsPerOp: number;
}

/** A side that waits for tasks. */
export interface RunningSide {
  perform(task: Task): Promise<Round>;
  stop(): void;
}

async function startSide(side: Side, place: Place, urls: readonly string[]): Promise<RunningSide> {
  const program = fileURLToPath(new URL('./redis-side.js', import.meta.url));
  const child: ChildProcess = fork(program, [side, place, ...urls], { execArgv: ['--expose-gc'] });
  // A side that has died would be waited for without end.
  const died = once(child, 'exit').then(() => {
    throw new TypeError(`The process of ${side} has ended.`);
  });
  died.catch(() => undefined);
  const message = async () => (await Promise.race([once(child, 'message'), died]))[0] as Round;
  await message();
  return {
    perform: (task) => {
      child.send(task);
      return message();
    },
    stop: () => child.disconnect(),
  };
}

/** Works that are compared, by the name of each, and whose they are. */
export type Contenders<Name extends string> = Readonly<
  Record<Name, { readonly side: RunningSide; readonly work: Work }>
>;

/**
 * Each contender works for a round, then the next, and again: whatever else the machine does hits all of them. The middle of
 * each number counts.
 */
export async function measureInTurns<Name extends string>(
  servers: readonly RedisServer[],
  contenders: Contenders<Name>,
  concurrency: number,
): Promise<Record<Name, Sample>> {
  const names = Object.keys(contenders) as Name[];
  const samples = new Map<Name, Sample[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const { side, work } = contenders[name];
      if (growing.has(work)) for (const server of servers) await server.cli('FLUSHALL');
      await side.perform({ work, concurrency, forMs: warmUpMs, isWarmUp: true });
      const task = { work, concurrency, forMs: roundMs, isWarmUp: false };
      samples.get(name)?.push(await measure(servers, side, task));
    }
  }
  const middles = names.map((name) => [name, middleOf(samples.get(name) ?? [])]);
  return Object.fromEntries(middles) as Record<Name, Sample>;
}

/** One round: a side, and the servers, which serve nobody else meanwhile. */
async function measure(servers: readonly RedisServer[], side: RunningSide, task: Task): Promise<Sample> {
  await sleep(20);
  const before = await usage(servers);
  const { operations, seconds, p50Ms, p99Ms, serverMicros } = await side.perform(task);
  const after = await usage(servers);
  return {
    perSecond: operations / seconds,
    p50Ms,
    p99Ms,
    serverMicrosPerOp: (serverMicros ?? after.cpuMicros - before.cpuMicros) / operations,
    // The reading of the usage is a command too.
    commandsPerOp: (after.commands - before.commands - servers.length) / operations,
  };
}

async function usage(servers: readonly RedisServer[]): Promise<{ cpuMicros: number; commands: number }> {
  let [cpuMicros, commands] = [0, 0];
  for (const server of servers) {
    const info = await server.cli('INFO', 'everything');
    cpuMicros += cpuMicrosOf(info);
    commands += Number(/^total_commands_processed:(\d+)/m.exec(info)?.[1]);
  }
  return { cpuMicros, commands };
}

/** Both sides of a bench. */
export type Sides = Readonly<Record<Side, RunningSide>>;

export async function startSides(place: Place, urls: readonly string[]): Promise<Sides> {
  const ours = await startSide('ours', place, urls);
  return { ours, theirs: await startSide('theirs', place, urls) };
}

export function stopSides(sides: Sides): void {
  for (const side of Object.values(sides)) side.stop();
}

/** Ours and theirs at the same work, and what it cost the servers. */
export async function compare(
  report: Report,
  servers: readonly RedisServer[],
  { ours, theirs }: Sides,
  work: Work,
  concurrencies: readonly number[],
): Promise<void> {
  const shards = servers.length;
  const each = shards === 1 ? '' : ', each shard';
  for (const concurrency of concurrencies) {
    const contenders = { ours: { side: ours, work }, theirs: { side: theirs, work } };
    const { ours: own, theirs: other } = await measureInTurns(servers, contenders, concurrency);
    const at = `${work === 'attempt' ? 'attempt: check, then fail' : work}, ${concurrency} at once`;
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
