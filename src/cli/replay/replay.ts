import { once } from 'node:events';
import type { Decision } from '../../core/decision.ts';
import type { Fault } from '../../core/fault.ts';
import type { Operation } from '../../core/operation.ts';
import type { Engine } from '../../guard/engine.ts';
import { type OperationStore, runImmediately, runOperation } from '../../guard/run.ts';
import type { ImmediateStore } from '../../stores/store.ts';
import { rememberedComponents } from '../engine-options.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import { jsonLine } from '../visible.ts';
import { DecisionWriter } from './decision-writer.ts';
import type { ReplayEvent } from './event-line.ts';
import { EventReader } from './event-reader.ts';
import { openInput } from './input.ts';
import { inputFault } from './input-fault.ts';
import type { Line, UnreadableLine } from './input-line.ts';
import { LineReader } from './line-reader.ts';
import { isLogged } from './logged-line.ts';
import { Progress } from './progress.ts';
import { Summary, type SummedEvent } from './summary.ts';
import { skippedNote, summaryText } from './summary-text.ts';

export interface ReplayOptions {
  /** A path, or `-` for standard input. */
  readonly file: string;
  /** Where its policies come from, for the summary. */
  readonly policy?: string;
  readonly summary: boolean;
  readonly json: boolean;
  /** Whether the decision lines are left out. */
  readonly quiet: boolean;
  /** Count bad lines and go on. */
  readonly skipBad: boolean;
}

/** How an event is decided: at once on a memory store, else with a promise. */
export type Decide = (event: ReplayEvent) => Decision | Promise<Decision>;

/** Runs an operation at its own time. */
export type RunAt = (operation: Operation, t: number) => Decision | Promise<Decision>;

/** Where the lines of a replay lead. */
export interface ReplaySource<E extends SummedEvent> {
  /** Null for a line that is fine and asks for no decision. @throws Fault `INPUT_INVALID` for any other that is no event */
  read(line: Line): E | null;
  decide(event: E): Decision | Promise<Decision>;
  /** Told of every decision. */
  noted?(event: E, decision: Decision, line: number): void;
  /**
   * What to do about a line that is bad; null: nothing better than what is always told.
   *
   * @param text null where the line could not be read at all
   */
  adviceOn?(text: string | null): string | null;
}

/** Reads a file of event lines, and decides each by `decide`. */
export function eventSource(decide: Decide): ReplaySource<ReplayEvent> {
  const reader = new EventReader(rememberedComponents());
  return { read: (line) => reader.read(line), decide, adviceOn: adviceOnEvent };
}

export function decideImmediately(
  engine: Engine,
  store: ImmediateStore,
  setTime: (t: number) => void,
): Decide {
  return (event) => {
    setTime(event.t);
    return runImmediately(store, operationOf(engine, event), event.t);
  };
}

/** What words ask for is found out once: to look for it again takes a fifth of the way of a line. */
function operationOf(engine: Engine, event: ReplayEvent): Operation {
  const { op, action, cost, words } = event;
  if (words !== undefined && words.request !== null && words.heardBy === engine) {
    return engine.prepareAgain(words.request, op, action, cost).operation;
  }
  const { request, operation } = engine.prepare(op, event, cost);
  if (words !== undefined) {
    words.heardBy = engine;
    words.request = request;
  }
  return operation;
}

export function runAtOnce(store: ImmediateStore, setTime: (t: number) => void): RunAt {
  return (operation, t) => {
    setTime(t);
    return runImmediately(store, operation, t);
  };
}

export function decideOn(engine: Engine, store: OperationStore): Decide {
  return (event) => runOperation(store, operationOf(engine, event), event.t);
}

/** Replays one stream of events. */
export class Replay<E extends SummedEvent> {
  readonly summary: Summary;
  readonly #options: ReplayOptions;
  readonly #source: ReplaySource<E>;
  readonly #io: CommandIo;
  readonly #lines = new DecisionWriter();

  constructor(options: ReplayOptions, source: ReplaySource<E>, io: CommandIo, summary = new Summary()) {
    this.summary = summary;
    this.#options = options;
    this.#source = source;
    this.#io = io;
  }

  async run(): Promise<ExitCode> {
    const reader = new LineReader('events');
    const { chunks, share } = openInput(this.#options.file, this.#io);
    const progress = new Progress(this.#io, share);
    try {
      for await (const chunk of chunks) {
        if (!(await this.#all(reader.push(chunk), progress))) return 2;
        await this.#flush();
        progress.show(this.summary.events);
      }
      if (!(await this.#all(reader.finish(), progress))) return 2;
    } finally {
      progress.clear();
    }
    await this.#conclude();
    return 0;
  }

  /** False when a bad line has ended the replay. */
  async #all(lines: Iterable<Line | UnreadableLine>, progress: Progress): Promise<boolean> {
    for (const line of lines) {
      const result = this.#one(line);
      const fault = result instanceof Promise ? await result : result;
      if (fault === null) continue;
      this.summary.badLines += 'lines' in line ? line.lines : 1;
      if (this.#options.skipBad) continue;
      await this.#flush();
      progress.clear();
      const advice = this.#source.adviceOn?.('text' in line ? line.text : null);
      this.#io.stderr.write(`${badLineText(line.number, fault, advice)}\n`);
      return false;
    }
    return true;
  }

  /** The fault of a bad line, else null. Only a store with promises is waited for. */
  #one(line: Line | UnreadableLine): Fault | null | Promise<Fault | null> {
    try {
      if ('fault' in line) return line.fault;
      const event = this.#source.read(line);
      if (event === null) return null;
      const decision = this.#source.decide(event);
      if (decision instanceof Promise)
        return decision.then((decided) => this.#note(line, event, decided), inputFault);
      return this.#note(line, event, decision);
    } catch (cause) {
      return inputFault(cause);
    }
  }

  #note(line: Line, event: E, decision: Decision): null {
    this.summary.add(line.number, event, decision);
    this.#source.noted?.(event, decision, line.number);
    if (!this.#options.quiet) this.#lines.add(event.t, decision);
    return null;
  }

  async #conclude(): Promise<void> {
    await this.#flush();
    const { summary } = this;
    if (!this.#options.summary) {
      const skipped = skippedNote(summary);
      if (skipped !== null) this.#io.stderr.write(`portcullis: ${skipped}\n`);
      return;
    }
    const text = this.#options.json ? jsonLine({ summary }) : summaryText(summary, this.#options);
    await this.#write(Buffer.from(text));
  }

  async #flush(): Promise<void> {
    if (!this.#lines.isEmpty) await this.#write(this.#lines.take());
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (!this.#io.stdout.write(bytes)) await once(this.#io.stdout, 'drain');
  }
}

const badLineAdvice = 'Mend it, or go on without such lines: --skip-bad';

/** What is told of a bad line, in one: `line 3: t must be … Mend it`. */
export function badLineText(number: number, { message }: Fault, advice: string | null | undefined): string {
  return `line ${number}: ${message.replace(/\.$/, '')}. ${advice ?? badLineAdvice}`;
}

/** A file of the other kind is the usual reason for a bad first line. */
export const adviceOnEvent = (text: string | null): string | null =>
  text !== null && isLogged(text) ? 'It is a line of a decision log: --format decisions' : null;
