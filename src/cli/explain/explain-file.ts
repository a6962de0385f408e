import { Fault } from '../../core/fault.ts';
import { explain } from '../../guard/explain.ts';
import { openEngine, openReplayStore } from '../engine-options.ts';
import type { ReplayEvent } from '../replay/event-line.ts';
import { isLogged } from '../replay/logged-line.ts';
import { type Decide, decideImmediately, eventSource, Replay, type ReplaySource } from '../replay/replay.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import { requestOf, type SubjectFlags } from '../subject-options.ts';
import { jsonLine } from '../visible.ts';

/** Options of `explain`, as given. */
export interface ExplainFlags extends SubjectFlags {
  readonly at?: string;
  readonly policy?: string;
  readonly json: boolean;
}

/** Replays a file, then tells how a subject stands. */
export async function explainFile(file: string, flags: ExplainFlags, io: CommandIo): Promise<ExitCode> {
  const engine = await openEngine(flags.policy);
  const { store, setTime } = openReplayStore();
  const request = engine.open(requestOf(flags));
  let last = 0;
  const decide = decideImmediately(engine, store.immediate, (t) => {
    last = t;
    setTime(t);
  });
  const until = flags.at === undefined ? null : timeOf(flags.at);
  const replay = new Replay(
    { file, summary: false, json: false, quiet: true, skipBad: false },
    eventsUntil(until ?? Number.POSITIVE_INFINITY, decide),
    io,
  );
  const code = await replay.run();
  if (code !== 0) return code;
  const at = until ?? last;
  setTime(at);
  const explanation = await explain(store, request, { at });
  io.stdout.write(flags.json ? jsonLine(explanation) : `${explanation.words.join('\n')}\n`);
  return 0;
}

/** What comes later has not happened yet. */
function eventsUntil(until: number, decide: Decide): ReplaySource<ReplayEvent> {
  const source = eventSource(decide);
  return {
    ...source,
    read: (line) => {
      const event = source.read(line);
      return event !== null && event.t > until ? null : event;
    },
    adviceOn: (text) =>
      text !== null && isLogged(text)
        ? 'It is a line of a decision log, which only replay and compare read'
        : 'Mend it, or take it out',
  };
}

function timeOf(text: string): number {
  if (/^\d{1,16}$/.test(text)) return Number(text);
  throw new Fault(
    'INPUT_INVALID',
    `--at must be a whole number of milliseconds, got a string of ${text.length} characters`,
  );
}
