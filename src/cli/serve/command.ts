import type { Command } from 'commander';
import type { CommandIo } from '../streams.ts';
import { endWhenTold } from './signals.ts';
import type { ServeFlags } from './with-flags.ts';

const help = `
Serves decisions over HTTP until it gets SIGTERM or SIGINT; then it answers what it has accepted, and ends. Without a
configuration it keeps its records and a generated secret in ./portcullis-data and serves this machine alone.

Example:
  $ portcullis serve
  $ portcullis serve --config portcullis.yaml --environment prod
  $ portcullis serve --store redis://127.0.0.1:6379 --port 9000 --grpc-port none`;

/** Adds `serve` to the program. */
export function addServe(program: Command, io: CommandIo): void {
  program
    .command('serve')
    .description('serve decisions over HTTP, with a console')
    .option('--config <file>', 'configuration (YAML or JSON)')
    .option('--environment <name>', 'the layer of the configuration to use')
    .option(
      '--store <url>',
      'lmdb, lmdb:FOLDER, memory, redis[s]://…, redis[s]+cluster://…, redis[s]+sentinel://…, postgres://… (default: lmdb)',
    )
    .option('--host <address>', 'where to listen (default: 127.0.0.1)')
    .option('--port <number>', '0 takes any that is free (default: 8470)')
    .option('--grpc-port <number>', 'for Envoy; 0 takes any that is free, none leaves it out (default: 8471)')
    .option('--data <folder>', 'records and secret (default: portcullis-data)')
    .addHelpText('after', help)
    .action(async (flags: ServeFlags) => {
      const started = endWhenTold();
      // The service is much to load: the other commands start without it.
      const { serve } = await import('./serve.ts');
      await serve(flags, io, started);
    });
}
