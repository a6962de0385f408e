import type { LineKind } from '../../abuse/log-formats/log-entry.ts';
import type { Outcome } from '../../core/decision.ts';
import type { LoggedNotes } from './logged-notes.ts';
import type { ReplayDecision, ReplayReason } from './replay-decision.ts';
import { Timeline } from './timeline.ts';
import { UnknownLines } from './unknown-lines.ts';

/** As much of an event as a summary tells. */
export interface SummedEvent {
  readonly t: number;
  readonly ip: string;
  readonly account?: string | null | undefined;
  readonly user?: string | null | undefined;
}

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

/** An address that was blocked, whole (K1) or with an agent (K2): the event that brought the first block, and how many. */
export interface BlockedAddress {
  readonly line: number;
  readonly t: number;
  readonly ip: string;
  readonly rule: string;
  readonly scope: string;
  readonly level: number;
  blocks: number;
}

/** What a log held besides decisions. */
export class LogNotes {
  lines = 0;
  /** Lines that tell of a login but not whose. */
  nameless = 0;
  /** Lines about something else. */
  other = 0;
  readonly unknown = new UnknownLines();

  /** Counts a line by what became of it. */
  add(kind: LineKind, line: number, text: string): void {
    if (kind === 'unknown') this.unknown.add(line, text);
    else if (kind === 'nameless') this.nameless += 1;
    else if (kind === 'other') this.other += 1;
  }

  /** Whether not a single line was understood: then it is a log of another kind. */
  isForeign(events: number): boolean {
    return this.unknown.count > 0 && events + this.nameless + this.other === 0;
  }

  /** For a person, where all that was understood is about something else: many programs write such lines. Else null. */
  idleNote(events: number): string | null {
    if (this.other === 0 || events + this.nameless > 0) return null;
    const lines = this.other === 1 ? '1 line is' : `${this.other} lines are`;
    return `nothing in it tells of a login or a request: ${lines} about something else. Is --format right?`;
  }

  /** One sentence for a person on logins that name nobody; null when there are none. */
  namelessNote(): string | null {
    if (this.nameless === 0) return null;
    return this.nameless === 1
      ? '1 login names no account and was not decided'
      : `${this.nameless} logins name no account and were not decided`;
  }
}

const KEPT_FIRST_BLOCKS = 5;
const KEPT_ADDRESSES = 10_000;

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
  /** By the address that the event names; the first ones, so many. */
  readonly blockedAddresses = new Map<string, BlockedAddress>();
  readonly timeline = new Timeline();
  /** Null for events, of which every line is one. */
  readonly log: LogNotes | null;
  /** Null for all but decision logs. */
  readonly logged: LoggedNotes | null;
  #last = 0;

  constructor(log: LogNotes | null = null, logged: LoggedNotes | null = null) {
    this.log = log;
    this.logged = logged;
  }

  add(line: number, event: SummedEvent, decision: ReplayDecision): void {
    this.events += 1;
    if (event.t < this.#last) this.backwards += 1;
    this.#last = event.t;
    count(this.outcomes, decision.outcome);
    const { reasons } = decision;
    // By place: lists of several kinds come by here, and an iterator over those is made for each.
    for (let place = 0; place < reasons.length; place += 1) {
      this.#addReason(line, event, reasons[place] as ReplayReason);
    }
    this.timeline.add(event.t, decision.outcome);
    if (isFreshBlock(decision) && this.firstBlocks.length < KEPT_FIRST_BLOCKS) {
      this.firstBlocks.push(firstBlock(line, event, decision));
    }
  }

  #addReason(line: number, event: SummedEvent, reason: ReplayReason): void {
    count(this.rules, reason.rule);
    count(this.scopes, reason.scope);
    if (reason.outcome === 'HARD_BLOCK' && isOnAddress(reason)) this.#addAddress(line, event, reason);
  }

  #addAddress(line: number, { t, ip }: SummedEvent, { rule, scope, level }: ReplayReason): void {
    const known = this.blockedAddresses.get(ip);
    if (known !== undefined) known.blocks += 1;
    else if (this.blockedAddresses.size < KEPT_ADDRESSES) {
      this.blockedAddresses.set(ip, { line, t, ip, rule, scope, level, blocks: 1 });
    }
  }

  /** From the first event to the last one; null where there is none, or time went backwards. */
  get period(): { readonly from: number; readonly to: number } | null {
    if (this.events === 0 || this.backwards > 0) return null;
    return { from: this.timeline.toJSON().start, to: this.#last };
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
      blockedAddresses: [...this.blockedAddresses.values()],
      timeline: this.timeline.toJSON(),
      ...(this.log === null ? {} : logFields(this.log)),
      ...(this.logged === null ? {} : { taken: this.logged }),
    };
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function logFields({ lines, nameless, unknown }: LogNotes) {
  return { lines, namelessLines: nameless, unknownLines: unknown.count, firstUnknown: unknown.first };
}

function firstBlock(line: number, event: SummedEvent, decision: ReplayDecision): FirstBlock {
  const { t, account, user, ip } = event;
  return {
    line,
    t,
    outcome: decision.outcome,
    rule: decision.rule ?? '',
    scope: decision.scope ?? '',
    account: account ?? user ?? null,
    ip,
  };
}

/** A block of the address that this event has set. */
const isOnAddress = ({ scope, rule }: ReplayReason): boolean =>
  (scope === 'K1' || scope === 'K2') && rule !== 'blocked';

/** A block that this event has set, not one that was running. */
const isFreshBlock = ({ outcome, rule }: ReplayDecision): boolean =>
  outcome === 'HARD_BLOCK' && rule !== 'blocked';
