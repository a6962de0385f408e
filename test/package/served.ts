import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Stranger } from './stranger.ts';

/** `portcullis serve` in a stranger's project. */
export interface Served {
  readonly url: string;
  /** What it has said to the person who started it. */
  said(): string;
  /** Tells it to end; resolves with its exit code. */
  end(): Promise<number | null>;
}

/** Starts it; resolves once it listens. Whoever gets it has to end it. */
export async function startService({ node, folder }: Stranger, args: readonly string[]): Promise<Served> {
  const program = join('node_modules', '.bin', 'portcullis');
  const child = spawn(node, [program, 'serve', ...args], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, found] = /listening on (http:\S+)/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    void exit.then((code) => reject(new TypeError(`serve ended with ${code}: ${said}`)));
  });
  return {
    url,
    said: () => said,
    end: () => {
      child.kill('SIGTERM');
      return exit;
    },
  };
}
