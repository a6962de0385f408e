import { type Command, Option } from 'commander';
import type { CommandIo, ExitCode } from '../streams.ts';
import { wholeNumber } from '../whole-number.ts';

const help = `
Searches, over the engine's pure core, for a trace that breaks one of its guarantees under the policies, and for the
worst that they allow: most guesses a day, cheapest ways to keep an owner out, longest time behind a budget. Every trace
is a file of events that "portcullis replay" decides the same way.

The same policies, effort and seed find the same. With --seconds the search is cut short, or goes on at random until then.
Exit code 1 when a guarantee is broken. 0 says that none was found to be, within the bounds that are named.

Example:
  $ portcullis prove
  $ portcullis prove --policy strict.yaml --out traces
  $ portcullis replay traces/login-guesses-anything.jsonl --policy strict.yaml --summary --quiet`;

interface Flags {
  readonly policy?: string;
  readonly depth?: number;
  readonly seconds?: number;
  readonly seed: number;
  readonly out?: string;
  readonly effort: 'quick' | 'full';
  readonly json: boolean;
}

/** Adds `prove` to the program. `end` receives the exit code. */
export function addProve(program: Command, io: CommandIo, end: (code: ExitCode) => void): void {
  program
    .command('prove')
    .description('search for a trace that breaks a guarantee, and for the worst cases')
    .option('--policy <file>', 'policies to search under (YAML or JSON)')
    .option(
      '--depth <number>',
      'acts in a row of which every order is tried, 1 to 12 (default by effort)',
      wholeNumber(1, 12),
    )
    .addOption(
      new Option('--effort <name>', 'quick: about ten seconds, for every change; full: under a minute or so')
        .choices(['quick', 'full'])
        .default('full'),
    )
    .option('--seconds <number>', 'how long to search, 1 to 86400', wholeNumber(1, 86_400))
    .option('--seed <number>', 'of the random walks', wholeNumber(0, 2 ** 31), 1)
    .option('--out <folder>', 'write the traces there')
    .option('--json', 'the report as JSON', false)
    .addHelpText('after', help)
    .action(async ({ policy, effort, ...flags }: Flags) => {
      const { policiesOf } = await import('../engine-options.ts');
      const policies = await policiesOf(policy);
      const { runProve, efforts } = await import('./run-prove.ts');
      const clock = () => performance.now();
      end(await runProve({ ...flags, effort: efforts[effort], policies, policyFile: policy, clock }, io));
    });
}
