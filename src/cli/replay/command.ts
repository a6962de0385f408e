import type { Command } from 'commander';
import type { LogFormatName } from '../../abuse/log-formats/log-format.ts';
import { Fault } from '../../core/fault.ts';
import type { Engine } from '../../guard/engine.ts';
import type { MemoryStore } from '../../stores/memory/index.ts';
import { openEngine, openReplayStore } from '../engine-options.ts';
import { openStore, storeForms } from '../open-store.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import { decideEntries } from './entry-decider.ts';
import { openInput } from './input.ts';
import { addLogOptions, type LogFlags, logHelp, loginRoutesOf, openLog } from './log-options.ts';
import { LogReplay } from './log-replay.ts';
import { type Decide, decideImmediately, decideOn, Replay, type ReplayOptions } from './replay.ts';

const help = `
Reads events or a log, and prints one decision a line. Time is the file's own.
${logHelp}

Examples:
  $ portcullis replay examples/sample-day.jsonl --summary
  $ portcullis replay events.jsonl.gz --policy strict.yaml --summary --quiet
  $ portcullis replay /var/log/auth.log --format sshd --summary --quiet
  $ portcullis replay access.log --format nginx --login "POST /login" --summary --quiet`;

type Flags = Omit<ReplayOptions, 'file'> & LogFlags & { readonly policy?: string; readonly store?: string };

/** Adds `replay` to the program. `end` receives the exit code. */
export function addReplay(program: Command, io: CommandIo, end: (code: ExitCode) => void): void {
  const command = program
    .command('replay')
    .description('decide a file of events, or a log, as it would have been decided then')
    .argument('[file]', 'event file or log, also packed with gzip; - for standard input', '-')
    .option('--policy <file>', 'policies to decide by (YAML or JSON)')
    .option('--store <url>', `keep the records there instead of in memory: ${storeForms}`)
    .option('--summary', 'end with counts, first blocks and a chart', false)
    .option('--json', 'the summary as JSON too', false)
    .option('--quiet', 'no decision lines', false)
    .option('--skip-bad', 'events: count bad lines and go on', false);
  addLogOptions(command)
    .addHelpText('after', help)
    .action(async (file: string, flags: Flags) => {
      end(
        flags.store === undefined
          ? await replayInMemory(file, flags, io)
          : await replayOn(flags.store, file, flags, io),
      );
    });
}

async function replayInMemory(file: string, flags: Flags, io: CommandIo): Promise<ExitCode> {
  const { store, setTime } = openReplayStore();
  const code = await run(file, flags, io, {
    decide: (engine) => decideImmediately(engine, store.immediate, setTime),
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
  const store = await openStore(url);
  try {
    return await run(file, flags, io, {
      decide: (engine) => decideOn(engine, store),
      store: null,
      setTime: () => {},
    });
  } finally {
    await store.close();
  }
}

const hasRequests = (format: Flags['format']): boolean =>
  format === 'nginx' || format === 'apache' || format === 'json';

/** Where records are kept, and how logins are decided there. */
interface Ground {
  readonly decide: (engine: Engine) => Decide;
  /** Null when it has a time of its own. */
  readonly store: MemoryStore | null;
  readonly setTime: (t: number) => void;
}

async function run(file: string, flags: Flags, io: CommandIo, ground: Ground): Promise<ExitCode> {
  const { format, policy } = flags;
  if (format !== 'events') return runLog(file, format, flags, io, ground);
  const engine = await openEngine(policy);
  return new Replay({ ...flags, file }, ground.decide(engine), io).run();
}

async function runLog(
  file: string,
  format: LogFormatName,
  flags: Flags,
  io: CommandIo,
  { decide, store, setTime }: Ground,
): Promise<ExitCode> {
  const { engineOf, readRules, requestDeciderOf } = await import('./rules-file.ts');
  const rules = await readRules(flags.policy);
  const input = openInput(file, io);
  const log = openLog(format, flags, input);
  const judge = decideEntries({
    login: decide(engineOf(rules)),
    request: store === null ? null : requestDeciderOf(rules, store),
    setTime,
    routes: loginRoutesOf(flags),
    onNameless: () => {
      replay.notes.nameless += 1;
    },
  });
  const replay = new LogReplay({ ...flags, format }, log, judge, io);
  return replay.run(input);
}
