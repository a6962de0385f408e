import type { Command } from 'commander';
import { IN_MEMORY, replayForms } from '../store-forms.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import { addLogOptions, logHelp } from './log-options.ts';
import type { ReplayFlags } from './replay-file.ts';

const help = `
Reads events or a log, and prints one decision a line. Time is the file's own.
${logHelp}

Examples:
  $ portcullis replay examples/sample-day.jsonl --summary
  $ portcullis replay events.jsonl.gz --policy strict.yaml --summary --quiet
  $ portcullis replay /var/log/auth.log --format sshd --summary --quiet
  $ portcullis replay decisions.jsonl --format decisions --policy next.yaml --summary --quiet
  $ portcullis replay access.log --format nginx --login "POST /login" --summary --quiet`;

/** Adds `replay` to the program. `end` receives the exit code. */
export function addReplay(program: Command, io: CommandIo, end: (code: ExitCode) => void): void {
  const command = program
    .command('replay')
    .description('decide a file of events, or a log, as it would have been decided then')
    .argument('[file]', 'event file or log, also packed with gzip; - for standard input', '-')
    .option('--policy <file>', 'policies to decide by (YAML or JSON)')
    .option('--store <url>', `where records are kept: ${replayForms} (default: ${IN_MEMORY})`)
    .option('--summary', 'end with counts, first blocks and a chart', false)
    .option('--json', 'the summary as JSON too', false)
    .option('--quiet', 'no decision lines', false)
    .option('--skip-bad', 'events, decisions: count bad lines and go on', false);
  addLogOptions(command)
    .addHelpText('after', help)
    .action(async (file: string, flags: ReplayFlags) => {
      const { replayFile } = await import('./replay-file.ts');
      end(await replayFile(file, flags, io));
    });
}
