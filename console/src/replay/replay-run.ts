import { Comparison } from '../../../src/cli/compare/comparison.ts';
import { parseEventLine, type ReplayEvent } from '../../../src/cli/replay/event-line.ts';
import { Summary } from '../../../src/cli/replay/summary.ts';
import { parseDocument } from '../../../src/config/document.ts';
import { policiesOf } from '../../../src/config/policy-file.ts';
import type { Decision } from '../../../src/core/decision.ts';
import { Fault } from '../../../src/core/fault.ts';
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
  #time = 0;

  constructor(policies: readonly Policy[]) {
    this.#engine = new Engine({ identifier: createFileIdentifier(), policies, environment: 'replay' });
    this.#store = createMemoryStore({ ...STORE_BOUNDS, clock: () => this.#time, sweep: false });
  }

  decide(line: number, event: ReplayEvent): Decision {
    this.#time = event.t;
    const { operation } = this.#engine.prepare(event.op, event, event.cost);
    const decision = runImmediately(this.#store.immediate, operation, event.t);
    this.summary.add(line, event, decision);
    return decision;
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
    if (text === '' || text === '\r') return null;
    const why = text === null || !isUtf8 ? 'not UTF-8, or longer than 4 MiB' : this.#decide(number, text);
    if (why === null) return null;
    this.#badLines += 1;
    this.#firstBad ??= { line: number, why };
    return null;
  }

  /** Why the line is bad, or null. */
  #decide(number: number, text: string): string | null {
    try {
      const event = parseEventLine(text);
      const a = this.#a.decide(number, event);
      const b = this.#b?.decide(number, event);
      if (b !== undefined) this.#comparison?.add(number, event, labelOf(text), a, b);
      return null;
    } catch (cause) {
      if (cause instanceof Fault && (cause.code === 'INPUT_INVALID' || cause.code === 'OPERATION_UNKNOWN'))
        return cause.message;
      throw cause;
    }
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

/** Most files have no labels, and reading a line twice would cost as much as deciding it. */
function labelOf(text: string): boolean | null {
  if (!text.includes('"attack"')) return null;
  const { attack } = JSON.parse(text) as { attack?: unknown };
  return typeof attack === 'boolean' ? attack : null;
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
