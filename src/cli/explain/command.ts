import type { Command } from 'commander';
import type { CommandIo, ExitCode } from '../streams.ts';
import { withSubject } from '../subject-options.ts';
import type { ExplainFlags } from './explain-file.ts';

const help = `
Replays FILE, then tells how a subject stands: which blocks run, what its keys remember, what the next failure would give.

Example:
  $ portcullis explain examples/sample-day.jsonl --account a12 --ip 203.0.113.102`;

/** Adds `explain` to the program. `end` receives the exit code. */
export function addExplain(program: Command, io: CommandIo, end: (code: ExitCode) => void): void {
  withSubject(
    program
      .command('explain')
      .description('tell why a subject is treated as it is')
      .argument('<file>', 'events that have happened, - for standard input'),
  )
    .option(
      '--at <ms>',
      'at this time, as if nothing later had happened; default: that of the last event, after all of them',
    )
    .option('--policy <file>', 'policies to decide by (YAML or JSON)')
    .option('--json', 'everything as JSON', false)
    .addHelpText('after', help)
    .action(async (file: string, flags: ExplainFlags) => {
      const { explainFile } = await import('./explain-file.ts');
      end(await explainFile(file, flags, io));
    });
}
