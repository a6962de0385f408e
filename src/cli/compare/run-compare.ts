import { Fault } from '../../core/fault.ts';
import type { Input } from '../replay/input.ts';
import { inputFault } from '../replay/input-fault.ts';
import type { Line, UnreadableLine } from '../replay/input-line.ts';
import { LineReader } from '../replay/line-reader.ts';
import { Progress } from '../replay/progress.ts';
import { badLineText } from '../replay/replay.ts';
import type { ReplayDecision } from '../replay/replay-decision.ts';
import type { CommandIo } from '../streams.ts';
import type { Comparison } from './comparison.ts';
import type { EntryReader, Labelled } from './entry-reader.ts';

/** One policy's way to decide. */
export type Side = (entry: Labelled['entry']) => ReplayDecision | Promise<ReplayDecision>;

export interface CompareRun {
  readonly input: Input;
  readonly reader: EntryReader;
  readonly a: Side;
  readonly b: Side;
  readonly comparison: Comparison;
  /** Count bad lines of events and go on. */
  readonly skipBad: boolean;
}

/**
 * Decides every entry of the input by both sides, in one pass.
 *
 * @throws Fault `INPUT_INVALID` that names the line, where a line of events is bad and none is skipped
 */
export async function runCompare(run: CompareRun, io: CommandIo): Promise<void> {
  const { input, reader, comparison } = run;
  const lines = new LineReader(comparison.log === null ? 'events' : 'log');
  const progress = new Progress(io, input.share);
  try {
    for await (const chunk of input.chunks) {
      await compareLines(lines.push(chunk), run);
      progress.show(comparison.events);
    }
    await compareLines(lines.finish(), run);
    for (const labelled of reader.end()) await compareNoted(labelled, comparison.log?.lines ?? 0, '', run);
  } finally {
    progress.clear();
  }
}

async function compareLines(lines: Iterable<Line | UnreadableLine>, run: CompareRun): Promise<void> {
  for (const line of lines) {
    if (run.comparison.log !== null) run.comparison.log.lines += 1;
    const text = 'fault' in line ? '' : withoutReturn(line.text);
    const found = 'fault' in line ? badLine(line, run) : readLine(text, line.number, run);
    for (const labelled of found) {
      const waiting = compareNoted(labelled, line.number, text, run);
      if (waiting !== null) await waiting;
    }
  }
}

function badLine({ number, fault, lines }: UnreadableLine, run: CompareRun): readonly Labelled[] {
  noteFault(number, fault.message, fault, run);
  // A gap is told of once, and counted by its lines.
  if (run.comparison.log === null) run.comparison.badLines += lines - 1;
  return nothing;
}

function readLine(text: string, number: number, run: CompareRun): readonly Labelled[] {
  if (text === '') return nothing;
  try {
    return run.reader.read(text, number);
  } catch (cause) {
    noteFault(number, text, cause, run);
    return nothing;
  }
}

/** Null when it is done: only a store with promises is waited for. */
function compareOne(labelled: Labelled, line: number, run: CompareRun): Promise<void> | null {
  const { entry, attack } = labelled;
  const a = run.a(entry);
  if (a instanceof Promise) return compareLater(a, labelled, line, run);
  const b = run.b(entry);
  if (b instanceof Promise) return b.then((later) => run.comparison.add(line, entry, attack, a, later));
  run.comparison.add(line, entry, attack, a, b);
  return null;
}

/** The same for an entry that may be none, which does not take the others of its line along. */
function compareNoted(
  labelled: Labelled,
  number: number,
  text: string,
  run: CompareRun,
): Promise<void> | null {
  const note = (cause: unknown): void => noteFault(number, text, cause, run);
  try {
    return compareOne(labelled, number, run)?.catch(note) ?? null;
  } catch (cause) {
    note(cause);
    return null;
  }
}

/** B is asked once A has answered: nobody would take care of what it rejects with while A is waited for. */
async function compareLater(
  a: Promise<ReplayDecision>,
  { entry, attack }: Labelled,
  line: number,
  run: CompareRun,
): Promise<void> {
  const decidedA = await a;
  run.comparison.add(line, entry, attack, decidedA, await run.b(entry));
}

const nothing: readonly Labelled[] = [];

const withoutReturn = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text);

function noteFault(number: number, text: string, cause: unknown, run: CompareRun): void {
  const { comparison, skipBad, reader } = run;
  const fault = inputFault(cause);
  if (comparison.log !== null) {
    comparison.log.unknown.add(number, text);
    return;
  }
  comparison.badLines += 1;
  if (skipBad) return;
  throw new Fault('INPUT_INVALID', badLineText(number, fault, reader.adviceOn?.(text)), { cause: fault });
}
