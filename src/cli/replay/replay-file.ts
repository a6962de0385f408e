import { Fault } from '../../core/fault.ts';
import { operationStore, runOperation } from '../../guard/run.ts';
import { openEngine, openReplayStore } from '../engine-options.ts';
import { openStore } from '../open-store.ts';
import { IN_MEMORY, replayForms } from '../store-forms.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import { type LogFlags, refuseStrayOptions } from './log-options.ts';
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

/** Options of `replay`, as given. */
export type ReplayFlags = Omit<ReplayOptions, 'file'> &
  LogFlags & { readonly policy?: string; readonly store?: string };

/** Replays a file, or standard input, on the store that is named. */
export function replayFile(file: string, flags: ReplayFlags, io: CommandIo): Promise<ExitCode> {
  const { store = IN_MEMORY } = flags;
  return store === IN_MEMORY ? replayInMemory(file, flags, io) : replayOn(store, file, flags, io);
}

async function replayInMemory(file: string, flags: ReplayFlags, io: CommandIo): Promise<ExitCode> {
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
async function replayOn(url: string, file: string, flags: ReplayFlags, io: CommandIo): Promise<ExitCode> {
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

const hasRequests = (format: ReplayFlags['format']): boolean =>
  format === 'nginx' || format === 'apache' || format === 'json';

/** The same for operations whose subjects are known already. */
type RunningGround = Ground & { readonly run: RunAt };

async function run(
  file: string,
  flags: ReplayFlags,
  io: CommandIo,
  ground: RunningGround,
): Promise<ExitCode> {
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
