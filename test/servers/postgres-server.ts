import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';

/** A PostgreSQL cluster of its own, on a free port of the loopback, gone when it is stopped. */
export interface PostgresServer {
  readonly connectionString: string;
  readonly port: number;
  /** Ends the server; with `immediate` as a crash would, without a word to its clients. The data stay. */
  halt(how?: 'fast' | 'immediate'): Promise<void>;
  /** Starts the server again on the same data and port. */
  resume(): Promise<void>;
  /** Stops (SIGSTOP) every process of the server: connections stay open and nobody answers. */
  freeze(): void;
  thaw(): void;
  /** What all its processes that still run have used of the processors, in milliseconds. */
  cpuMs(): number;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

const debianVersions = '/usr/lib/postgresql';

/** Settings that trade durability for speed; a test of durability hands in its own. */
const fastSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '32MB',
  max_connections: '200',
  autovacuum: 'off',
};

/** The folder of PostgreSQL's programs, or null where it is not installed. */
export function postgresPrograms(): string | null {
  if (!existsSync(debianVersions)) return null;
  const newestFirst = readdirSync(debianVersions).sort((a, b) => Number(b) - Number(a));
  const folders = newestFirst.map((version) => join(debianVersions, version, 'bin'));
  return folders.find((folder) => existsSync(join(folder, 'initdb'))) ?? null;
}

/** Makes and starts a cluster. PostgreSQL refuses to run as root, so root runs it as the user `postgres`. */
export async function startPostgres(settings: Record<string, string> = {}): Promise<PostgresServer> {
  const programs = postgresPrograms();
  if (programs === null) throw new TypeError(`There is no PostgreSQL under ${debianVersions}.`);
  const owner = runAs();
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-postgres-'));
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const initArgs = ['-D', data, '-U', 'portcullis', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(programs, 'initdb'), initArgs, {
    ...owner,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const port = await freePort();
  const all = {
    ...fastSettings,
    ...settings,
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
  };
  const args = ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];

  let server: ChildProcess | undefined;
  const killLeftover = (): void => {
    server?.kill('SIGQUIT');
  };
  process.once('exit', killLeftover);

  async function resume(): Promise<void> {
    server = spawn(join(programs ?? '', 'postgres'), args, {
      ...owner,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await untilReady(server);
  }

  async function halt(how: 'fast' | 'immediate' = 'fast'): Promise<void> {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await gone;
  }

  await resume();
  return {
    connectionString: `postgres://portcullis@127.0.0.1:${port}/postgres`,
    port,
    halt,
    resume,
    freeze: () => signalAll(server, 'SIGSTOP'),
    thaw: () => signalAll(server, 'SIGCONT'),
    cpuMs: () => processesOf(server).reduce((sum, pid) => sum + cpuMsOf(pid), 0),
    async stop() {
      signalAll(server, 'SIGCONT');
      await halt('immediate');
      process.off('exit', killLeftover);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function runAs(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (what: string): number => Number(execFileSync('id', [what, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function untilReady(server: ChildProcess): Promise<void> {
  let said = '';
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-10_000);
  });
  while (!said.includes('ready to accept connections')) {
    if (server.exitCode !== null) throw new TypeError(`PostgreSQL did not start: ${said}`);
    await sleep(20);
  }
}

/** Every backend leads a session of its own, so a signal to the process group would miss them. */
function signalAll(server: ChildProcess | undefined, signal: NodeJS.Signals): void {
  for (const pid of processesOf(server)) signalOne(pid, signal);
}

/** A backend may have ended by itself since it was listed. */
function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function processesOf(server: ChildProcess | undefined): number[] {
  if (server?.pid === undefined || server.exitCode !== null) return [];
  const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim().split(' ');
  return [server.pid, ...children.filter(Boolean).map(Number)];
}

function cpuMsOf(pid: number): number {
  const tickMs = 10;
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) * tickMs;
}
