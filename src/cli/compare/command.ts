import type { Command } from 'commander';
import { addLogOptions, logHelp } from '../replay/log-options.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import type { CompareFlags } from './compare.ts';

const help = `
Decides every event of FILE by both policies and tells who would be treated differently, when and why. Ends with 0 when nobody
would, with 1 when somebody would. With labels in the events ("attack": true or false) it tells how well each policy finds them.
A policy is a policy file or the configuration of a service; - stands for the defaults.
${logHelp}

Examples:
  $ portcullis compare - strict.yaml examples/sample-day.jsonl
  $ portcullis compare now.yaml next.yaml portcullis-data/decisions.jsonl --format decisions
  $ portcullis compare now.yaml next.yaml /var/log/auth.log.1.gz --format sshd --json`;

/** Adds `compare` to the program. `end` receives the exit code. */
export function addCompare(program: Command, io: CommandIo, end: (code: ExitCode) => void): void {
  const command = program
    .command('compare')
    .description('tell who would be treated differently by another policy')
    .argument('<a>', 'a policy (YAML or JSON), - for the defaults')
    .argument('<b>', 'another policy')
    .argument('<file>', 'event file or log, also packed with gzip; - for standard input')
    .option('--json', 'the comparison as JSON', false)
    .option('--skip-bad', 'events, decisions: count bad lines and go on', false);
  addLogOptions(command)
    .addHelpText('after', help)
    .action(async (a: string, b: string, file: string, flags: CompareFlags) => {
      const { compare } = await import('./compare.ts');
      end(await compare({ a, b }, file, flags, io));
    });
}
