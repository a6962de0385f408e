import { Fault } from '../../core/fault.ts';
import type { Input } from '../replay/input.ts';
import { type Line, LineReader, type UnreadableLine } from '../replay/line-reader.ts';
import { Progress } from '../replay/progress.ts';
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
  const lines = new LineReader(comparison.log === null ? 'refused' : 'latin1');
  const progress = new Progress(io, input.share);
  try {
    for await (const chunk of input.chunks) {
      for (const line of lines.push(chunk)) await compareLine(line, run);
      progress.show(comparison.events);
    }
    for (const line of lines.finish()) await compareLine(line, run);
    await compareAll(reader.end(), comparison.log?.lines ?? 0, run);
  } finally {
    progress.clear();
  }
}

async function compareLine(line: Line | UnreadableLine, run: CompareRun): Promise<void> {
  const { log } = run.comparison;
  if (log !== null) log.lines += 1;
  const text = 'fault' in line ? '' : withoutReturn(line.text);
  try {
    if ('fault' in line) throw line.fault;
    if (text === '') return;
    const found = run.reader.read(text, line.number);
    if (found.length > 0) await compareAll(found, line.number, run);
  } catch (cause) {
    if (!(cause instanceof Fault) || !isInputFault(cause)) throw cause;
    noteBad(line.number, text || cause.message, cause, run);
  }
}

const withoutReturn = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text);

const isInputFault = ({ code }: Fault): boolean => code === 'INPUT_INVALID' || code === 'OPERATION_UNKNOWN';

function noteBad(number: number, text: string, fault: Fault, { comparison, skipBad }: CompareRun): void {
  if (comparison.log !== null) {
    comparison.log.unknown.add(number, text);
    return;
  }
  comparison.badLines += 1;
  if (skipBad) return;
  throw new Fault(
    'INPUT_INVALID',
    `line ${number}: ${fault.message}. Mend it, or go on without such lines: --skip-bad`,
    { cause: fault },
  );
}

async function compareAll(found: readonly Labelled[], line: number, run: CompareRun): Promise<void> {
  for (const { entry, attack } of found) {
    const a = run.a(entry);
    const b = run.b(entry);
    const decidedA = a instanceof Promise ? await a : a;
    const decidedB = b instanceof Promise ? await b : b;
    run.comparison.add(line, entry, attack, decidedA, decidedB);
  }
}
