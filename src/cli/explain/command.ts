import { type Command, Option } from 'commander';
import { Fault } from '../../core/fault.ts';
import type { Confidence } from '../../core/subject.ts';
import { explain } from '../../guard/explain.ts';
import type { GuardRequest } from '../../guard/signals.ts';
import { openEngine, openReplayStore } from '../engine-options.ts';
import { decideImmediately, Replay } from '../replay/replay.ts';
import type { CommandIo, ExitCode } from '../streams.ts';

const help = `
Replays FILE, then tells how a subject stands: which blocks run, what its keys remember, what the next failure would give.

Example:
  $ portcullis explain examples/sample-day.jsonl --account a17 --ip 192.0.2.17`;

interface Flags {
  readonly action: string;
  readonly account?: string;
  readonly ip: string;
  readonly ua?: string;
  readonly device?: string;
  readonly confidence: Confidence;
  readonly at?: string;
  readonly policy?: string;
  readonly json: boolean;
}

/** Adds `explain` to the program. `end` receives the exit code. */
export function addExplain(program: Command, io: CommandIo, end: (code: ExitCode) => void): void {
  program
    .command('explain')
    .description('tell why a subject is treated as it is')
    .argument('<file>', 'events that have happened, - for standard input')
    .requiredOption('--ip <address>', 'the IP address of the request')
    .option('--action <name>', 'what is attempted', 'auth.login')
    .option('--account <id>', 'the account, as the events name it')
    .option('--ua <text>', 'the User-Agent')
    .option('--device <id>', 'the device id')
    .addOption(
      new Option('--confidence <level>', 'of the device')
        .choices(['LOW', 'MEDIUM', 'HIGH'])
        .default('MEDIUM'),
    )
    .option('--at <ms>', 'at this time; default: that of the last event')
    .option('--policy <file>', 'policies to decide by (YAML or JSON)')
    .option('--json', 'everything as JSON', false)
    .addHelpText('after', help)
    .action(async (file: string, flags: Flags) => {
      const engine = await openEngine(flags.policy);
      const { store, setTime } = openReplayStore();
      const request = engine.open(requestOf(flags));
      let last = 0;
      const decide = decideImmediately(engine, store.immediate, (t) => {
        last = t;
        setTime(t);
      });
      const replay = new Replay(
        { file, summary: false, json: false, quiet: true, skipBad: false },
        decide,
        io,
      );
      const code = await replay.run();
      if (code !== 0) return end(code);
      const at = flags.at === undefined ? last : timeOf(flags.at);
      setTime(at);
      const explanation = await explain(store, request, at);
      io.stdout.write(flags.json ? `${JSON.stringify(explanation)}\n` : `${explanation.words.join('\n')}\n`);
    });
}

function requestOf({ action, account, ip, ua, device, confidence }: Flags): GuardRequest {
  return { action, account, ip, ua, device: device === undefined ? null : { id: device, confidence } };
}

function timeOf(text: string): number {
  if (/^\d{1,16}$/.test(text)) return Number(text);
  throw new Fault(
    'INPUT_INVALID',
    `--at must be an integer of milliseconds, got a string of ${text.length} characters`,
  );
}
