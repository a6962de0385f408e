import { attackLabelOf } from '../../../src/cli/compare/attack-label.ts';
import { Comparison } from '../../../src/cli/compare/comparison.ts';
import { BlankLines } from '../../../src/cli/replay/blank-lines.ts';
import { parseEventLine, type ReplayEvent } from '../../../src/cli/replay/event-line.ts';
import { FileTime } from '../../../src/cli/replay/file-time.ts';
import { inputFault } from '../../../src/cli/replay/input-fault.ts';
import { unreadable } from '../../../src/cli/replay/input-line.ts';
import { Summary } from '../../../src/cli/replay/summary.ts';
import { parseDocument } from '../../../src/config/document.ts';
import { policiesOf } from '../../../src/config/policy-file.ts';
import type { Decision } from '../../../src/core/decision.ts';
import { defaultPolicies, type Policy } from '../../../src/core/policy.ts';
import { Engine } from '../../../src/guard/engine.ts';
import { runImmediately } from '../../../src/guard/run.ts';
import { createMemoryStore } from '../../../src/stores/memory/index.ts';
import { createFileIdentifier } from './file-identifier.ts';
import type { FileRun } from './file-run.ts';
import type { FileLine } from './line-splitter.ts';
import type { ReplayResult, SideResult } from './replay-messages.ts';
import { comparisonResultOf, STORE_BOUNDS, sideResultOf } from './side-result.ts';

/** One policy and what it has decided. The same core as the service's, on records of its own. */
class Side {
  readonly summary = new Summary();
  readonly #engine: Engine;
  readonly #store: ReturnType<typeof createMemoryStore>;
  readonly #time = new FileTime();

  constructor(policies: readonly Policy[]) {
    this.#engine = new Engine({ identifier: createFileIdentifier(), policies, environment: 'replay' });
    const { clock, sweptBy } = this.#time;
    this.#store = createMemoryStore({ ...STORE_BOUNDS, clock, sweptBy });
  }

  decide(event: ReplayEvent): Decision {
    this.#time.set(event.t);
    const { operation } = this.#engine.prepare(event.op, event, event.cost);
    return runImmediately(this.#store.immediate, operation, event.t);
  }

  result(): SideResult {
    return sideResultOf(this.summary, this.#store.usage().evicted);
  }
}

/** Policies out of the text of a policy file; the built-in ones for an empty text. Throws `CONFIG_INVALID`. */
export function readPolicies(text: string, source: string): readonly Policy[] {
  return text.trim() === '' ? defaultPolicies : policiesOf(parseDocument(text, source), source);
}

/** Replays lines on one policy, or on two side by side. */
export class ReplayRun implements FileRun {
  readonly #a: Side;
  readonly #b: Side | null;
  readonly #comparison: Comparison | null;
  readonly #blanks = new BlankLines();
  #badLines = 0;
  #firstBad: { line: number; why: string } | null = null;

  constructor(policiesA: readonly Policy[], policiesB: readonly Policy[] | null) {
    this.#a = new Side(policiesA);
    this.#b = policiesB && new Side(policiesB);
    this.#comparison = policiesB && new Comparison(null);
  }

  get events(): number {
    return this.#a.summary.events;
  }

  /** Decides a line. A bad one is counted, and the first of them named. */
  add({ number, text, isUtf8 }: FileLine): null {
    if (text !== null && this.#blanks.takes(text)) return null;
    const gap = this.#blanks.gapBefore(number);
    if (gap !== null) this.#noteBad(gap.number, gap.fault.message, gap.lines);
    if (text === null) this.#noteBad(number, unreadable.tooLong);
    else if (isUtf8) this.#decide(number, text);
    else this.#noteBad(number, unreadable.notUtf8);
    return null;
  }

  /** A line that one of two policies refuses counts for neither: what they made of the file would not compare. */
  #decide(number: number, text: string): void {
    try {
      const event = parseEventLine(text);
      const a = this.#a.decide(event);
      const b = this.#b?.decide(event);
      this.#a.summary.add(number, event, a);
      if (b === undefined) return;
      this.#b?.summary.add(number, event, b);
      this.#comparison?.add(number, event, attackLabelOf(text), a, b);
    } catch (cause) {
      this.#noteBad(number, inputFault(cause).message);
    }
  }

  #noteBad(line: number, why: string, lines = 1): void {
    this.#badLines += lines;
    this.#firstBad ??= { line, why };
  }

  async finish(): Promise<ReplayResult> {
    return {
      format: 'events',
      log: null,
      events: this.events,
      badLines: this.#badLines,
      firstBad: this.#firstBad,
      backwards: this.#a.summary.backwards,
      a: this.#a.result(),
      b: this.#b?.result() ?? null,
      comparison: this.#comparison && comparisonResultOf(this.#comparison),
    };
  }
}

/** Whether a line has what only an event has. */
export function isEventLine({ text, isUtf8 }: FileLine): boolean {
  if (text === null || !isUtf8 || !text.startsWith('{')) return false;
  try {
    const { t, op } = JSON.parse(text) as { readonly t?: unknown; readonly op?: unknown };
    return typeof t === 'number' && typeof op === 'string';
  } catch (cause) {
    if (cause instanceof SyntaxError) return false;
    throw cause;
  }
}
