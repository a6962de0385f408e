import type { Command } from 'commander';
import type { CommandIo } from '../streams.ts';
import { type TokenFlags, tokenOf, withToken } from '../token-options.ts';

const help = `
Shows a running service as it works: decisions per second, active blocks, the rules that speak most, its modes and its last
events. q quits. Where output is no terminal, events are printed as lines instead.

Example:
  $ portcullis top
  $ portcullis top --url https://portcullis.internal:8470 --token-file observe.token
  $ portcullis top | grep HARD_BLOCK`;

interface Flags extends TokenFlags {
  readonly url: string;
}

/** Adds `top` to the program. */
export function addTop(program: Command, io: CommandIo): void {
  const command = program
    .command('top')
    .description('show what a running service does')
    .option('--url <url>', 'where the service listens', 'http://127.0.0.1:8470');
  withToken(command, 'observe')
    .addHelpText('after', help)
    .action(async ({ url, ...flags }: Flags) => {
      const { ServiceClient } = await import('./service-client.ts');
      const { runTop } = await import('./run-top.ts');
      const client = new ServiceClient(url, await tokenOf(flags));
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
