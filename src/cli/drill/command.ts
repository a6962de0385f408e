import type { Command } from 'commander';
import { Fault } from '../../core/fault.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import { type TokenFlags, tokenOf, withToken } from '../token-options.ts';
import { wholeNumber } from '../whole-number.ts';

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

interface Flags extends TokenFlags {
  readonly policy?: string;
  readonly json: boolean;
  readonly url?: string;
  readonly seconds?: number;
}

/** Adds `drill` to the program. `end` receives the exit code. */
export function addDrill(program: Command, io: CommandIo, end: (code: ExitCode) => void): void {
  const command = program
    .command('drill')
    .description('run the standard attacks against the policies')
    .option('--policy <file>', 'policies to attack (YAML or JSON)')
    .option('--url <url>', 'attack a running service instead')
    .option('--seconds <count>', 'with --url: for how long (default: 30)', wholeNumber(1, 3_600))
    .option('--json', 'the report as JSON', false);
  withToken(command, 'decide')
    .addHelpText('after', help)
    .action(async (flags: Flags) => {
      const { policy, json, url, seconds = 30 } = flags;
      refuseStrayFlags(flags);
      if (url !== undefined) {
        const { runLiveDrill } = await import('./run-live-drill.ts');
        const token = await tokenOf(flags);
        end(await runLiveDrill({ url, token, seconds, json }, io));
        return;
      }
      const { policiesOf } = await import('../engine-options.ts');
      const { runDrill } = await import('./run-drill.ts');
      const policies = await policiesOf(policy);
      end(await runDrill({ policies, json }, io));
    });
}

/** A running service has its own policies, and simulated time takes none: neither may seem to have counted. */
function refuseStrayFlags({ policy, url, token, tokenFile, seconds }: Flags): void {
  if (url !== undefined && policy !== undefined) {
    throw new Fault(
      'INPUT_INVALID',
      '--policy is not for --url: a running service is attacked under the policies it has',
    );
  }
  const isLive = [token, tokenFile, seconds].some((flag) => flag !== undefined);
  if (url === undefined && isLive)
    throw new Fault(
      'INPUT_INVALID',
      '--token, --token-file and --seconds are for a running service: name it with --url',
    );
}
