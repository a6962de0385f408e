import type { Decision, Outcome } from '../../core/decision.ts';
import type { ReplayEvent } from './event-line.ts';
import { Timeline } from './timeline.ts';

/** A block as the summary names it. */
export interface FirstBlock {
  readonly line: number;
  readonly t: number;
  readonly outcome: Outcome;
  readonly rule: string;
  readonly scope: string;
  readonly account: string | null;
  readonly ip: string;
}

const KEPT_FIRST_BLOCKS = 5;

/** What a replay adds up to. Constant memory, whatever the number of events. */
export class Summary {
  events = 0;
  badLines = 0;
  /** Events whose time lies before the one that came before them. */
  backwards = 0;
  readonly outcomes = new Map<string, number>();
  readonly rules = new Map<string, number>();
  readonly scopes = new Map<string, number>();
  /** The first HARD blocks. */
  readonly firstBlocks: FirstBlock[] = [];
  readonly timeline = new Timeline();
  #last = 0;

  add(line: number, event: ReplayEvent, decision: Decision): void {
    this.events += 1;
    if (event.t < this.#last) this.backwards += 1;
    this.#last = event.t;
    count(this.outcomes, decision.outcome);
    for (const { rule, scope } of decision.reasons) {
      count(this.rules, rule);
      count(this.scopes, scope);
    }
    this.timeline.add(event.t, decision.outcome);
    if (isFreshBlock(decision) && this.firstBlocks.length < KEPT_FIRST_BLOCKS) {
      this.firstBlocks.push(firstBlock(line, event, decision));
    }
  }

  toJSON() {
    return {
      events: this.events,
      badLines: this.badLines,
      backwards: this.backwards,
      outcomes: Object.fromEntries(this.outcomes),
      rules: Object.fromEntries(this.rules),
      scopes: Object.fromEntries(this.scopes),
      firstBlocks: this.firstBlocks,
      timeline: this.timeline.toJSON(),
    };
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function firstBlock(line: number, { t, account, ip }: ReplayEvent, decision: Decision): FirstBlock {
  return {
    line,
    t,
    outcome: decision.outcome,
    rule: decision.rule ?? '',
    scope: decision.scope ?? '',
    account: account ?? null,
    ip,
  };
}

/** A block that this event has set, not one that was running. */
const isFreshBlock = ({ outcome, rule }: Decision): boolean => outcome === 'HARD_BLOCK' && rule !== 'blocked';
