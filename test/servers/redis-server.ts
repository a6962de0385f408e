import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, onFreePorts } from './free-port.ts';

/** Settings of `redis.conf` by name; a list where a setting is there more than once. */
export type RedisSettings = Readonly<Record<string, string | readonly string[]>>;

/** A Redis server of its own, on a free port of the loopback, gone when it is stopped. */
export interface RedisServer {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  /** Sends one command by `redis-cli` and gives what it prints. */
  cli(...args: string[]): Promise<string>;
  /** Ends the server as a crash would. */
  kill(): Promise<void>;
  /** Starts the server again on the same port and folder. */
  resume(): Promise<void>;
  /** Stops the process (SIGSTOP): connections stay open and nobody answers. */
  freeze(): void;
  thaw(): void;
  /** Ends the server and removes its folder. */
  stop(): Promise<void>;
}

const run = promisify(execFile);

/** How to end the servers that a test has left behind; one listener for all, however many there are. */
const leftovers = new Set<() => void>();
process.once('exit', () => {
  for (const kill of leftovers) kill();
});
const host = '127.0.0.1';

const quickSettings: RedisSettings = {
  bind: host,
  'protected-mode': 'no',
  save: '',
  appendonly: 'no',
  loglevel: 'warning',
};

/** Whether a Redis server, or a Valkey server, is installed. */
export function isRedisInstalled(): boolean {
  return programNamed('server') !== undefined;
}

/** A program of Redis, or where that is not installed, of Valkey: `server` or `cli`. `PORTCULLIS_REDIS=valkey` turns it round. */
function programNamed(what: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const families = process.env.PORTCULLIS_REDIS === 'valkey' ? ['valkey', 'redis'] : ['redis', 'valkey'];
  return families
    .map((family) => `${family}-${what}`)
    .find((name) => folders.some((folder) => existsSync(join(folder, name))));
}

/** Each setting as a flag with its words; an empty last word is one too. */
function flagsOf(settings: RedisSettings): string[] {
  return Object.entries(settings).flatMap(([name, values]) =>
    [values].flat().flatMap((value: string) => [`--${name}`, ...value.split(' ')]),
  );
}

/** Starts a server; with a configuration file, a Sentinel, which writes what it learns into that file. */
export function startRedis(settings: RedisSettings = {}, configFile?: string): Promise<RedisServer> {
  // A port that was asked for is the caller's to choose anew.
  const isChosen = settings.port !== undefined;
  return onFreePorts(() => startOnce(settings, configFile), isChosen ? 1 : 5);
}

async function startOnce(settings: RedisSettings, configFile: string | undefined): Promise<RedisServer> {
  const port = settings.port === undefined ? await freePort() : Number(settings.port);
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-redis-'));
  const all = configFile === undefined ? { ...quickSettings, ...settings } : {};
  const flags = flagsOf({ ...all, port: String(port), dir: folder });
  const args = configFile === undefined ? flags : [configFile, '--sentinel'];
  let server: ChildProcess | undefined;
  const killLeftover = (): void => {
    server?.kill('SIGKILL');
  };
  leftovers.add(killLeftover);

  const cli = async (...command: string[]): Promise<string> => {
    const { stdout } = await run(programNamed('cli') ?? 'redis-cli', ['-p', String(port), ...command], {
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout.trim();
  };

  async function resume(): Promise<void> {
    server = spawn(programNamed('server') ?? 'redis-server', args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await untilReady(server, cli);
  }

  async function kill(): Promise<void> {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill('SIGKILL');
    await gone;
  }

  try {
    await resume();
  } catch (error) {
    leftovers.delete(killLeftover);
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    url: `redis://${host}:${port}`,
    host,
    port,
    get pid() {
      return server?.pid ?? 0;
    },
    cli,
    kill,
    resume,
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
    async stop() {
      await kill();
      leftovers.delete(killLeftover);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(
  server: ChildProcess,
  cli: (...command: string[]) => Promise<string>,
): Promise<void> {
  let said = '';
  const note = (text: Buffer): void => {
    said = (said + String(text)).slice(-10_000);
  };
  server.stdout?.on('data', note);
  server.stderr?.on('data', note);
  for (;;) {
    if (server.exitCode !== null) throw new TypeError(`Redis did not start: ${said}`);
    // By its process: another server may have taken the port, and would answer in its place.
    const answer = await cli('INFO', 'server').catch(() => '');
    if (answer.includes(`process_id:${server.pid}\r`)) return;
    await sleep(20);
  }
}

/** Waits until `isSo` holds. A test that would wait longer than its own limit fails by that. */
export async function until(isSo: () => Promise<boolean> | boolean, everyMs = 20): Promise<void> {
  while (!(await isSo())) await sleep(everyMs);
}
