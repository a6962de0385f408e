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
import type { FileLine } from './line-splitter.ts';
import type { ComparisonResult, ReplayResult, SideResult } from './replay-messages.ts';

/** Room for a large file in one tab; a record has about 600 bytes. */
const BOUNDS = { maxRecords: 1_000_000, maxBytes: 512 * 1024 ** 2 };

/** One policy and what it has decided. The same core as the service's, on records of its own. */
class Side {
  readonly summary = new Summary();
  readonly #engine: Engine;
  readonly #store: ReturnType<typeof createMemoryStore>;
  #time = 0;

  constructor(policies: readonly Policy[]) {
    this.#engine = new Engine({ identifier: createFileIdentifier(), policies, environment: 'replay' });
    this.#store = createMemoryStore({ ...BOUNDS, clock: () => this.#time, sweep: false });
  }

  decide(line: number, event: ReplayEvent): Decision {
    this.#time = event.t;
    const { operation } = this.#engine.prepare(event.op, event, event.cost);
    const decision = runImmediately(this.#store.immediate, operation, event.t);
    this.summary.add(line, event, decision);
    return decision;
  }

  result(): SideResult {
    const { outcomes, rules, scopes, firstBlocks, timeline } = this.summary.toJSON();
    return {
      outcomes,
      rules,
      scopes,
      timeline,
      // Who it was stays in the file: a console lists nobody in clear.
      firstBlocks: firstBlocks.map(({ line, t, rule, scope }) => ({ line, t, rule, scope })),
      forgotten: this.#store.usage().evicted,
    };
  }
}

/** Policies out of the text of a policy file; the built-in ones for an empty text. Throws `CONFIG_INVALID`. */
export function readPolicies(text: string, source: string): readonly Policy[] {
  return text.trim() === '' ? defaultPolicies : policiesOf(parseDocument(text, source), source);
}

/** Replays lines on one policy, or on two side by side. */
export class ReplayRun {
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
  add({ number, text }: FileLine): void {
    if (text === '' || text === '\r') return;
    const why = text === null ? 'not UTF-8, or longer than 4 MiB' : this.#decide(number, text);
    if (why === null) return;
    this.#badLines += 1;
    this.#firstBad ??= { line: number, why };
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

  result(): ReplayResult {
    return {
      events: this.events,
      badLines: this.#badLines,
      firstBad: this.#firstBad,
      backwards: this.#a.summary.backwards,
      a: this.#a.result(),
      b: this.#b?.result() ?? null,
      comparison: this.#comparison && comparedBy(this.#comparison),
    };
  }
}

/** Most that a page shows. */
const SHOWN_SUBJECTS = 200;

function comparedBy(comparison: Comparison): ComparisonResult {
  const { events, differences, harder, labels, scores } = comparison;
  return {
    events,
    differences,
    harder,
    outcomes: comparison.toJSON().outcomes,
    // Whom it concerns is named by a line of the file.
    subjects: comparison.subjects
      .slice(0, SHOWN_SUBJECTS)
      .map(({ line, t, a, b, decisions }) => ({ line, t, a, b, decisions })),
    labels:
      labels.told === 0
        ? null
        : {
            attacks: labels.attacks,
            honest: labels.honest,
            a: { area: scores.a.area(), rows: scores.a.rows() },
            b: { area: scores.b.area(), rows: scores.b.rows() },
          },
  };
}

/** Most files have no labels, and reading a line twice would cost as much as deciding it. */
function labelOf(text: string): boolean | null {
  if (!text.includes('"attack"')) return null;
  const { attack } = JSON.parse(text) as { attack?: unknown };
  return typeof attack === 'boolean' ? attack : null;
}
