import type { Command } from 'commander';
import { policiesOf } from '../engine-options.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import { runDrill } from './run-drill.ts';

const help = `
Plays brute force, spray, slow and low, device rotation, IPv6 spray, OTP preload, N−1 hovering, parallel guesses and a
store outage against the policies, in simulated time, and tells how many guesses each got and whom it kept out.

Example:
  $ portcullis drill
  $ portcullis drill --policy strict.yaml --json`;

interface Flags {
  readonly policy?: string;
  readonly json: boolean;
}

/** Adds `drill` to the program. `end` receives the exit code. */
export function addDrill(program: Command, io: CommandIo, end: (code: ExitCode) => void): void {
  program
    .command('drill')
    .description('run the standard attacks against the policies')
    .option('--policy <file>', 'policies to attack (YAML or JSON)')
    .option('--json', 'the report as JSON', false)
    .addHelpText('after', help)
    .action(async ({ policy, json }: Flags) => {
      const policies = await policiesOf(policy);
      end(await runDrill({ policies, json }, io));
    });
}
