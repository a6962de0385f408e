import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** What a program said, and how it ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** What it gets on stdin. Default: nothing. */
  readonly input?: string;
}

/** Runs a program to its end, whatever that is. */
export function run(program: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  const { cwd, env = process.env, input = '' } = options;
  const child = spawn(program, args, { cwd, env });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  }
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve({ code, ...said }));
  });
}

/** The same where everything but 0 is a failure. */
export async function mustRun(
  program: string,
  args: readonly string[],
  options: RunOptions,
): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, options);
  if (code === 0) return stdout;
  throw new TypeError(`${program} ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
}

/**
 * An empty folder outside of the repository: what runs there finds no packages but its own, and the compiler does not take
 * it for somebody else's package.
 */
export function emptyFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `portcullis-${name}-`));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
