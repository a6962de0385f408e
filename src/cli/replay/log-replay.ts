import { once } from 'node:events';
import type { LogEntry, LogFormat } from '../../abuse/log-formats/log-entry.ts';
import { Fault } from '../../core/fault.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import { jsonLine } from '../visible.ts';
import { DecisionWriter } from './decision-writer.ts';
import type { Input } from './input.ts';
import type { Line, UnreadableLine } from './input-line.ts';
import { LineReader } from './line-reader.ts';
import { Progress } from './progress.ts';
import type { ReplayDecision } from './replay-decision.ts';
import { LogNotes, Summary } from './summary.ts';
import { summaryText } from './summary-text.ts';

export interface LogReplayOptions {
  /** The name of the format, for messages. */
  readonly format: string;
  /** A path, or `-` for standard input. */
  readonly file: string;
  /** Where its rules come from, for the summary. */
  readonly policy?: string;
  readonly summary: boolean;
  readonly json: boolean;
  /** No decision lines. */
  readonly quiet: boolean;
}

/** Decides an entry; null when it names nobody who could be decided on. */
export type DecideEntry = (entry: LogEntry) => ReplayDecision | Promise<ReplayDecision>;

/** Replays a log of another program: every attempt and request it tells of is decided, what it does not tell is left out. */
export class LogReplay {
  readonly summary: Summary;
  readonly notes = new LogNotes();
  readonly #options: LogReplayOptions;
  readonly #log: LogFormat;
  readonly #decide: DecideEntry;
  readonly #io: CommandIo;
  readonly #entries: LogEntry[] = [];
  readonly #collect = (entry: LogEntry): void => {
    this.#entries.push(entry);
  };
  readonly #lines = new DecisionWriter();

  constructor(options: LogReplayOptions, log: LogFormat, decide: DecideEntry, io: CommandIo) {
    this.#options = options;
    this.#log = log;
    this.#decide = decide;
    this.#io = io;
    this.summary = new Summary(this.notes);
  }

  async run(input: Input): Promise<ExitCode> {
    const reader = new LineReader('log');
    const progress = new Progress(this.#io, input.share);
    try {
      for await (const chunk of input.chunks) {
        await this.#all(reader.push(chunk));
        await this.#flush();
        progress.show(this.summary.events);
      }
      await this.#all(reader.finish());
      this.#log.end(this.#collect);
      for (const entry of this.#entries) await this.#decideOne(entry, this.notes.lines, '');
      await this.#flush();
    } finally {
      progress.clear();
    }
    return this.#conclude();
  }

  async #all(lines: Iterable<Line | UnreadableLine>): Promise<void> {
    for (const line of lines) {
      this.notes.lines += 1;
      if ('fault' in line) {
        this.notes.unknown.add(line.number, line.fault.message);
        continue;
      }
      const text = line.text.endsWith('\r') ? line.text.slice(0, -1) : line.text;
      if (text === '') continue;
      const kind = this.#log.read(text, this.#collect);
      this.notes.add(kind, line.number, text);
      for (const entry of this.#entries) {
        const waiting = this.#decideOne(entry, line.number, text);
        if (waiting !== null) await waiting;
      }
      this.#entries.length = 0;
    }
  }

  /** Null when it is done: only a store with promises is waited for. */
  #decideOne(entry: LogEntry, number: number, text: string): Promise<void> | null {
    const noteFault = (cause: unknown): void => {
      if (!(cause instanceof Fault) || cause.code !== 'INPUT_INVALID') throw cause;
      this.notes.unknown.add(number, text);
    };
    try {
      const result = this.#decide(entry);
      if (result instanceof Promise)
        return result.then((later) => this.#note(entry, number, later), noteFault);
      this.#note(entry, number, result);
    } catch (cause) {
      noteFault(cause);
    }
    return null;
  }

  #note(entry: LogEntry, number: number, decision: ReplayDecision): void {
    this.summary.add(number, entry, decision);
    if (!this.#options.quiet) this.#lines.add(entry.t, decision);
  }

  async #conclude(): Promise<ExitCode> {
    const { unknown, lines } = this.notes;
    if (this.#options.summary) await this.#write(Buffer.from(this.#summaryText()));
    if (this.notes.isForeign(this.summary.events)) {
      this.#io.stderr.write(
        `portcullis: nothing in it is a line of ${this.#options.format}: ${unknown.note(lines)}. Is --format right?\n`,
      );
      return 2;
    }
    if (this.#options.summary) return 0;
    const { notes, summary } = this;
    for (const note of [notes.idleNote(summary.events), notes.namelessNote(), unknown.note(lines)])
      if (note !== null) this.#io.stderr.write(`portcullis: ${note}\n`);
    return 0;
  }

  #summaryText(): string {
    const { summary } = this;
    return this.#options.json ? jsonLine({ summary }) : summaryText(summary, this.#options);
  }

  async #flush(): Promise<void> {
    if (!this.#lines.isEmpty) await this.#write(this.#lines.take());
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (!this.#io.stdout.write(bytes)) await once(this.#io.stdout, 'drain');
  }
}
