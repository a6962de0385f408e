import type { Command } from 'commander';
import { Fault } from '../../core/fault.ts';
import { operationStore, runOperation } from '../../guard/run.ts';
import { openEngine, openReplayStore } from '../engine-options.ts';
import { openStore, storeForms } from '../open-store.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import { addLogOptions, type LogFlags, logHelp, refuseStrayOptions } from './log-options.ts';
import { isWorthRehearsing, rehearse } from './rehearsal.ts';
import {
  decideImmediately,
  decideOn,
  eventSource,
  Replay,
  type ReplayOptions,
  type RunAt,
  runAtOnce,
} from './replay.ts';
import type { Ground } from './replay-log.ts';

const help = `
Reads events or a log, and prints one decision a line. Time is the file's own.
${logHelp}

Examples:
  $ portcullis replay examples/sample-day.jsonl --summary
  $ portcullis replay events.jsonl.gz --policy strict.yaml --summary --quiet
  $ portcullis replay /var/log/auth.log --format sshd --summary --quiet
  $ portcullis replay decisions.jsonl --format decisions --policy next.yaml --summary --quiet
  $ portcullis replay access.log --format nginx --login "POST /login" --summary --quiet`;

/** As the service names the store in memory, so that whoever takes a name from its configuration is understood. */
const IN_MEMORY = 'memory';
const replayForms = `${IN_MEMORY}, ${storeForms}`;

type Flags = Omit<ReplayOptions, 'file'> & LogFlags & { readonly policy?: string; readonly store?: string };

/** Adds `replay` to the program. `end` receives the exit code. */
export function addReplay(program: Command, io: CommandIo, end: (code: ExitCode) => void): void {
  const command = program
    .command('replay')
    .description('decide a file of events, or a log, as it would have been decided then')
    .argument('[file]', 'event file or log, also packed with gzip; - for standard input', '-')
    .option('--policy <file>', 'policies to decide by (YAML or JSON)')
    .option('--store <url>', `where records are kept: ${replayForms} (default: memory)`)
    .option('--summary', 'end with counts, first blocks and a chart', false)
    .option('--json', 'the summary as JSON too', false)
    .option('--quiet', 'no decision lines', false)
    .option('--skip-bad', 'events, decisions: count bad lines and go on', false);
  addLogOptions(command)
    .addHelpText('after', help)
    .action(async (file: string, flags: Flags) => {
      end(
        flags.store === undefined || flags.store === IN_MEMORY
          ? await replayInMemory(file, flags, io)
          : await replayOn(flags.store, file, flags, io),
      );
    });
}

async function replayInMemory(file: string, flags: Flags, io: CommandIo): Promise<ExitCode> {
  const { store, setTime } = openReplayStore();
  const code = await run(file, flags, io, {
    decide: (engine) => decideImmediately(engine, store.immediate, setTime),
    run: runAtOnce(store.immediate, setTime),
    store,
    setTime,
  });
  const { evicted } = store.usage();
  if (evicted > 0) {
    io.stderr.write(
      `portcullis: ${evicted} records were dropped to stay within memory; later decisions on them start anew\n`,
    );
  }
  return code;
}

/** The records' keys are made with a secret of this run, so that nothing else in the store is touched. */
async function replayOn(url: string, file: string, flags: Flags, io: CommandIo): Promise<ExitCode> {
  if (hasRequests(flags.format)) {
    throw new Fault(
      'INPUT_INVALID',
      `--store is for logins: the requests of --format ${flags.format} are decided in memory, at their own time`,
    );
  }
  const store = await openStore(url, true, replayForms);
  const records = operationStore(store);
  try {
    return await run(file, flags, io, {
      decide: (engine) => decideOn(engine, records),
      run: (operation, t) => runOperation(records, operation, t),
      store: null,
      setTime: () => {},
    });
  } finally {
    await store.close();
  }
}

const hasRequests = (format: Flags['format']): boolean =>
  format === 'nginx' || format === 'apache' || format === 'json';

/** The same for operations whose subjects are known already. */
type RunningGround = Ground & { readonly run: RunAt };

async function run(file: string, flags: Flags, io: CommandIo, ground: RunningGround): Promise<ExitCode> {
  const { format, policy } = flags;
  if (format === 'decisions' || format === 'events') refuseStrayOptions(flags);
  if (format === 'decisions') {
    const { replayDecisions } = await import('./replay-decisions.ts');
    return replayDecisions({ ...flags, file }, ground.run, io);
  }
  if (format !== 'events') {
    const { replayLog } = await import('./replay-log.ts');
    return replayLog({ ...flags, file, format }, ground, io);
  }
  if (isWorthRehearsing(file)) await rehearse();
  const engine = await openEngine(policy);
  return new Replay({ ...flags, file }, eventSource(ground.decide(engine)), io).run();
}
