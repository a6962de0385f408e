import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** What a round of load on one server has shown. */
export interface Sample {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the server for one request, however busy the machine is otherwise. */
  readonly cpuMicros: number;
}

/** A server in a process of its own. */
export interface Running {
  readonly url: string;
  /** Processor time since the start, in µs. */
  usage(): Promise<number>;
  /** Has it collect all garbage while it has nothing to do, if it is a server that can. */
  collect(): Promise<void>;
  stop(): void;
}

/** How hard a round presses. */
export interface Load {
  /** A Lua file for `wrk`. */
  readonly script: string;
  readonly connections: number;
  readonly seconds: number;
}

/** As node is told to keep an entry of its queue of ticks, whatever is measured: see `kept-tick.ts`. */
const keepingTicks: readonly string[] = ['--import', new URL('./kept-tick.js', import.meta.url).href];

/** Forks a compiled bench program, which tells its port first and its processor time when it is asked for `usage`. */
export async function startServer(
  program: URL,
  args: readonly string[],
  path: string,
  execArgv = keepingTicks,
): Promise<Running> {
  const child: ChildProcess = fork(fileURLToPath(program), args, {
    execArgv: [...execArgv],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const [port] = (await once(child, 'message')) as [number];
  async function ask(wish: 'usage' | 'collect'): Promise<number> {
    child.send(wish);
    const [micros] = (await once(child, 'message')) as [number];
    return micros;
  }
  return {
    url: `http://127.0.0.1:${port}${path}`,
    usage: () => ask('usage'),
    collect: async () => void (await ask('collect')),
    stop: () => child.disconnect(),
  };
}

const execute = promisify(execFile);

/** One round of load by `wrk`. Refusals and errors end the bench: they would be quicker than answers. */
export async function pressServer({ url, usage }: Running, load: Load): Promise<Sample> {
  const { script, connections, seconds } = load;
  const usedBefore = await usage();
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', script, url];
  const { stdout } = await execute('wrk', args);
  if (/Non-2xx/.test(stdout)) throw new TypeError(`wrk met refusals or errors:\n${stdout}`);
  return sampleIn(stdout, (await usage()) - usedBefore);
}

/**
 * What `wrk` has printed.
 *
 * @param usedMicros processor time of the server meanwhile
 */
export function sampleIn(stdout: string, usedMicros: number): Sample {
  return {
    perSecond: numberIn(stdout, /Requests\/sec:\s+([\d.]+)/),
    p50Ms: latencyIn(stdout, '50'),
    p99Ms: latencyIn(stdout, '99'),
    cpuMicros: usedMicros / numberIn(stdout, /(\d+) requests in/),
  };
}

function numberIn(text: string, pattern: RegExp): number {
  return Number(text.match(pattern)?.[1] ?? Number.NaN);
}

function latencyIn(text: string, percent: string): number {
  const [, value, unit] = text.match(new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s)`)) ?? [];
  return Number(value) * ({ us: 0.001, ms: 1, s: 1_000 }[unit ?? ''] ?? Number.NaN);
}
