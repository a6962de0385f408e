import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A reverse proxy of its own, gone when it is stopped. */
export interface ProxyProcess {
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

/** The proxies that examples are written for. */
export type ProxyProgram = 'nginx' | 'haproxy' | 'caddy';

/** How each is started in the foreground, in the folder of its configuration. */
const argumentsOf: Readonly<Record<ProxyProgram, (folder: string) => readonly string[]>> = {
  nginx: (folder) => ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr', '-g', 'daemon off;'],
  haproxy: () => ['-f', 'haproxy.cfg'],
  caddy: () => ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile'],
};

const leftovers = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of leftovers) child.kill('SIGKILL');
});

/** Debian keeps daemons in /usr/sbin, which is not on everybody's PATH. */
function programPath(program: ProxyProgram): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

export function isInstalled(program: ProxyProgram): boolean {
  return programPath(program) !== undefined;
}

/** Only root may use the folders that nginx is built with; anybody else gets one beside the configuration. */
function inFolder(config: string, folder: string): string {
  if (process.getuid?.() === 0) return config;
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const paths = kinds.map((kind) => `${kind}_temp_path ${join(folder, kind)};`);
  return config.replace(/^http \{$/m, `http {\n${paths.join('\n')}`);
}

/** Starts a proxy with these files in its folder, and waits until it takes connections on the port. */
export async function startProxy(
  program: ProxyProgram,
  files: Readonly<Record<string, string>>,
  port: number,
): Promise<ProxyProcess> {
  const folder = mkdtempSync(join(tmpdir(), `portcullis-${program}-`));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), inFolder(text, folder));
  const child = spawn(programPath(program) ?? program, argumentsOf[program](folder), {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  leftovers.add(child);
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    }
    leftovers.delete(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilTaken(child, port);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

async function untilTaken(child: ChildProcess, port: number): Promise<void> {
  let said = '';
  const note = (text: Buffer): void => {
    said = (said + String(text)).slice(-10_000);
  };
  child.stdout?.on('data', note);
  child.stderr?.on('data', note);
  while (!(await takes(port))) {
    if (child.exitCode !== null) throw new TypeError(`The proxy did not start: ${said}`);
    await sleep(20);
  }
}

function takes(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
