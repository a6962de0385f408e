import type { Command } from 'commander';
import type { CommandIo } from '../streams.ts';

const help = `
Shows a running service as it works: decisions per second, active blocks, the rules that speak most, its modes and its last
events. q quits. Where output is no terminal, events are printed as lines instead.

Example:
  $ portcullis top
  $ portcullis top --url https://portcullis.internal:8470 --token-file observe.token
  $ portcullis top | grep HARD_BLOCK`;

interface Flags {
  readonly url: string;
  readonly token?: string;
  readonly tokenFile?: string;
}

/** Adds `top` to the program. */
export function addTop(program: Command, io: CommandIo): void {
  program
    .command('top')
    .description('show what a running service does')
    .option('--url <url>', 'where the service listens', 'http://127.0.0.1:8470')
    .option('--token <token>', 'a token with the role observe; other users of this machine can see it')
    .option('--token-file <file>', 'a file that holds the token')
    .addHelpText('after', help)
    .action(async ({ url, token, tokenFile }: Flags) => {
      const { ServiceClient } = await import('./service-client.ts');
      const { runTop } = await import('./run-top.ts');
      const client = new ServiceClient(url, tokenFile === undefined ? token : await tokenIn(tokenFile));
      const stop = new AbortController();
      const end = () => stop.abort();
      process.once('SIGINT', end);
      process.once('SIGTERM', end);
      try {
        await runTop(client, io, stop.signal);
      } finally {
        process.off('SIGINT', end);
        process.off('SIGTERM', end);
      }
    });
}

async function tokenIn(file: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return (await readFile(file, 'utf8')).trim();
}
