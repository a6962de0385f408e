import type { Command } from 'commander';
import { Fault, shapeOf } from '../../core/fault.ts';
import { policiesOf } from '../engine-options.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import { runDrill } from './run-drill.ts';
import { runLiveDrill } from './run-live-drill.ts';

const help = `
Plays brute force, spray, slow and low, device rotation, IPv6 spray, OTP preload, N−1 hovering, parallel guesses and a
store outage against the policies, in simulated time, and tells how many guesses each got and whom it kept out.

With --url the attacks that show at once (brute force, spray, device rotation, IPv6 spray, parallel guesses) are sent to a
running service instead, in real time and together with people who sign in as usual. Accounts are made up and addresses
come from ranges that belong to nobody; nothing of them is left once their records expire.

Example:
  $ portcullis drill
  $ portcullis drill --url http://127.0.0.1:8470
  $ portcullis drill --policy strict.yaml --json`;

interface Flags {
  readonly policy?: string;
  readonly json: boolean;
  readonly url?: string;
  readonly token?: string;
  readonly seconds: string;
}

/** Adds `drill` to the program. `end` receives the exit code. */
export function addDrill(program: Command, io: CommandIo, end: (code: ExitCode) => void): void {
  program
    .command('drill')
    .description('run the standard attacks against the policies')
    .option('--policy <file>', 'policies to attack (YAML or JSON)')
    .option('--url <url>', 'attack a running service instead')
    .option('--token <token>', 'a token of the service with the role decide')
    .option('--seconds <count>', 'with --url: for how long', '30')
    .option('--json', 'the report as JSON', false)
    .addHelpText('after', help)
    .action(async ({ policy, json, url, token, seconds }: Flags) => {
      if (url !== undefined) {
        end(await runLiveDrill({ url, token, seconds: secondsIn(seconds), json }, io));
        return;
      }
      const policies = await policiesOf(policy);
      end(await runDrill({ policies, json }, io));
    });
}

function secondsIn(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 3_600) return seconds;
  throw new Fault('INPUT_INVALID', `--seconds must be an integer from 1 to 3600, got ${shapeOf(text)}`);
}
