import type { LogEntry, LogFormat, LogFormatName } from '../../../src/abuse/log-formats/log-entry.ts';
import { Comparison } from '../../../src/cli/compare/comparison.ts';
import { decideEntries } from '../../../src/cli/replay/entry-decider.ts';
import { FileTime } from '../../../src/cli/replay/file-time.ts';
import { assertActionsBound, loginRoutesOf, openLog } from '../../../src/cli/replay/log-setup.ts';
import type { ReplayDecision } from '../../../src/cli/replay/replay-decision.ts';
import { askedOnce, type RequestJudge } from '../../../src/cli/replay/request-decider.ts';
import { openRequestReading, type Rules, requestDeciderOf } from '../../../src/cli/replay/rules-file.ts';
import { LogNotes, Summary } from '../../../src/cli/replay/summary.ts';
import { Fault } from '../../../src/core/fault.ts';
import { Engine } from '../../../src/guard/engine.ts';
import { runImmediately } from '../../../src/guard/run.ts';
import { createMemoryStore, type MemoryStore } from '../../../src/stores/memory/index.ts';
import { createFileIdentifier } from './file-identifier.ts';
import type { FileRun } from './file-run.ts';
import type { FileLine } from './line-splitter.ts';
import { type LogChoices, logFlagsOf } from './log-choices.ts';
import type { ReplayResult } from './replay-messages.ts';
import { comparisonResultOf, STORE_BOUNDS, sideResultOf } from './side-result.ts';

export interface LogOrder {
  readonly format: LogFormatName;
  readonly choices: LogChoices;
  /** When the log was written last, in ms since 1970. */
  readonly writtenAt: number;
  readonly rulesA: Rules;
  readonly rulesB: Rules | null;
}

type Decided = ReplayDecision | Promise<ReplayDecision>;

/** Records of one side, in the time of the log. */
class Ground {
  readonly store: MemoryStore;
  readonly setTime: (t: number) => void;

  constructor() {
    const { clock, sweptBy, set } = new FileTime();
    this.store = createMemoryStore({ ...STORE_BOUNDS, clock, sweptBy });
    this.setTime = set;
  }
}

/** One policy and what it has decided. */
interface Side {
  readonly summary: Summary;
  readonly store: MemoryStore;
  readonly decide: (entry: LogEntry) => Decided;
}

function openSide(
  rules: Rules,
  { store, setTime }: Ground,
  request: RequestJudge,
  { choices, format }: LogOrder,
  onNameless: () => void,
): Side {
  const { policies } = rules;
  const engine = new Engine({ identifier: createFileIdentifier(), policies, environment: 'replay' });
  const decide = decideEntries({
    login: (event) => {
      setTime(event.t);
      return runImmediately(store.immediate, engine.prepare(event.op, event, event.cost).operation, event.t);
    },
    request,
    setTime,
    routes: loginRoutesOf(logFlagsOf(format, choices)),
    onNameless,
  });
  return { summary: new Summary(), store, decide };
}

/** Replays a log of another program by the rules of one side, or of two, with the code of the command line. */
export class LogRun implements FileRun {
  readonly #format: LogFormatName;
  readonly #log: LogFormat;
  readonly #notes = new LogNotes();
  readonly #comparison: Comparison | null;
  readonly #a: Side;
  readonly #b: Side | null;
  readonly #entries: LogEntry[] = [];
  readonly #collect = (entry: LogEntry): void => {
    this.#entries.push(entry);
  };

  /** @throws Fault `INPUT_INVALID` when a choice is not what it must be. */
  constructor(order: LogOrder) {
    const { format, choices, writtenAt, rulesA, rulesB } = order;
    this.#format = format;
    this.#log = openLog(format, logFlagsOf(format, choices), { writtenAt });
    for (const rules of [rulesA, rulesB ?? rulesA]) {
      assertActionsBound(rules.policies, logFlagsOf(format, choices));
    }
    const reading = openRequestReading();
    const groundA = new Ground();
    // Requests are judged once where both sides say the same about them: it is the dearer part of a log.
    const requestsA = askedOnce(requestDeciderOf(rulesA, groundA.store, reading));
    this.#a = openSide(rulesA, groundA, requestsA, order, () => {
      this.#notes.nameless += 1;
    });
    this.#comparison = rulesB && new Comparison(this.#notes);
    if (rulesB === null) {
      this.#b = null;
      return;
    }
    const groundB = new Ground();
    const requestsB = sameOnRequests(rulesA, rulesB)
      ? requestsA
      : requestDeciderOf(rulesB, groundB.store, reading);
    this.#b = openSide(rulesB, groundB, requestsB, order, () => {});
  }

  get events(): number {
    return this.#a.summary.events;
  }

  add({ number, text }: FileLine): Promise<void> | null {
    this.#notes.lines += 1;
    if (text === null) {
      this.#notes.unknown.add(number, '');
      return null;
    }
    if (text === '') return null;
    this.#notes.add(this.#log.read(text, this.#collect), number, '');
    return this.#entries.length === 0 ? null : this.#decideAll(this.#entries.splice(0), number);
  }

  async finish(): Promise<ReplayResult> {
    this.#log.end(this.#collect);
    await this.#decideAll(this.#entries.splice(0), this.#notes.lines);
    const { lines, nameless, unknown } = this.#notes;
    return {
      format: this.#format,
      events: this.events,
      badLines: 0,
      firstBad: null,
      backwards: this.#a.summary.backwards,
      // What a line says stays in the file.
      log: { lines, nameless, unknown: unknown.count, firstUnknown: unknown.first[0]?.line ?? null },
      a: sideResultOf(this.#a.summary, this.#a.store.usage().evicted),
      b: this.#b && sideResultOf(this.#b.summary, this.#b.store.usage().evicted),
      comparison: this.#comparison && comparisonResultOf(this.#comparison),
    };
  }

  /** Null when all is done: nearly every entry is decided at once. */
  #decideAll(entries: readonly LogEntry[], line: number): Promise<void> | null {
    for (const [index, entry] of entries.entries()) {
      const waiting = this.#decideOne(entry, line);
      if (waiting !== null) return this.#decideLater(waiting, entries.slice(index + 1), line);
    }
    return null;
  }

  async #decideLater(waiting: Promise<void>, rest: readonly LogEntry[], line: number): Promise<void> {
    await waiting;
    await this.#decideAll(rest, line);
  }

  #decideOne(entry: LogEntry, line: number): Promise<void> | null {
    try {
      const a = this.#a.decide(entry);
      if (a instanceof Promise) return this.#noteLater(entry, line, a);
      const b = this.#b?.decide(entry) ?? null;
      if (b instanceof Promise) return this.#noteLater(entry, line, a, b);
      this.#note(entry, line, a, b);
    } catch (cause) {
      this.#noteFault(line, cause);
    }
    return null;
  }

  /** B is asked once A has answered, as on the command line. */
  async #noteLater(entry: LogEntry, line: number, a: Decided, b?: Promise<ReplayDecision>): Promise<void> {
    try {
      const decidedA = await a;
      this.#note(entry, line, decidedA, (await (b ?? this.#b?.decide(entry))) ?? null);
    } catch (cause) {
      this.#noteFault(line, cause);
    }
  }

  #note(entry: LogEntry, line: number, a: ReplayDecision, b: ReplayDecision | null): void {
    this.#a.summary.add(line, entry, a);
    if (b === null) return;
    this.#b?.summary.add(line, entry, b);
    this.#comparison?.add(line, entry, null, a, b);
  }

  #noteFault(line: number, cause: unknown): void {
    if (!(cause instanceof Fault) || cause.code !== 'INPUT_INVALID') throw cause;
    this.#notes.unknown.add(line, '');
  }
}

function sameOnRequests(a: Rules, b: Rules): boolean {
  return JSON.stringify([a.limits, a.scenarios]) === JSON.stringify([b.limits, b.scenarios]);
}
