import {
  decisionOf,
  type FeedLine,
  isObject,
  numberOf,
  type Outcome,
  type ShownDecision,
} from './feed-line.ts';

/** What happened in one second, by the service's clock. */
export interface SecondCount {
  /** Seconds since the epoch. */
  readonly second: number;
  /** Lines of every type, decisions too; without those that were left out of the feed. */
  lines: number;
  allow: number;
  soft: number;
  hard: number;
  /** Decisions the service left out of the feed; nobody here knows how they ended. */
  withheld: number;
  /** Lines of every type that it left out, those decisions too. */
  withheldLines: number;
  topLevel: number;
}

/** How often rules and scopes spoke in one minute. */
export interface MinuteNames {
  /** Minutes since the epoch. */
  readonly minute: number;
  readonly rules: Readonly<Record<string, number>>;
  readonly scopes: Readonly<Record<string, number>>;
}

/** What has arrived since the last batch. Everything is counted; only the lines to show are a sample. */
export interface FeedBatch {
  readonly received: number;
  readonly seconds: readonly SecondCount[];
  readonly minutes: readonly MinuteNames[];
  /** Newest last; a sample where more have arrived. */
  readonly shown: readonly FeedLine[];
  /** Blocks that were placed, newest last; a sample where more have arrived. */
  readonly blocks: readonly FeedLine[];
  /** Lines that are never sampled away: modes, breakers, operators' acts and everything else that is rare. */
  readonly notable: readonly FeedLine[];
  /** Decisions and other frequent lines left out of `shown`. */
  readonly unshown: number;
}

/** The most lines of a batch that are shown: what fits into the list, and four times a second more than anybody reads. */
export const SHOWN_PER_BATCH = 60;
const NOTABLE_PER_BATCH = 200;
const NAMES_PER_MINUTE = 64;
const SECONDS_PER_BATCH = 1_200;
const MINUTES_PER_BATCH = 20;

const frequent: ReadonlySet<string> = new Set(['decision', 'limit', 'cap', 'kratos', 'corrupt', 'scenario']);

/** Counts feed lines between two batches. Bounded, whatever arrives. */
export class Tally {
  #received = 0;
  #unshown = 0;
  #seconds = new Map<number, SecondCount>();
  #minutes = new Map<number, NameCounts>();
  #shown: FeedLine[] = [];
  #blocks: FeedLine[] = [];
  #notable: FeedLine[] = [];

  add(line: FeedLine): void {
    this.#received += 1;
    if (line.type === 'sampled') {
      this.#noteWithheld(line);
      return;
    }
    const bin = this.#secondAt(line.t);
    if (bin !== null) bin.lines += 1;
    const decision = decisionOf(line);
    if (decision !== null) {
      if (bin !== null) countOutcome(bin, decision.outcome, decision.level);
      this.#countNames(line.t, decision.reasons);
    }
    if (line.type === 'block') keepNewest(this.#blocks, line);
    else if (frequent.has(line.type)) this.#show(line);
    else if (this.#notable.length < NOTABLE_PER_BATCH) this.#notable.push(line);
  }

  /** Everything since the last call. */
  take(): FeedBatch {
    const batch: FeedBatch = {
      received: this.#received,
      seconds: [...this.#seconds.values()],
      minutes: [...this.#minutes].map(([minute, { rules, scopes }]) => ({
        minute,
        rules: Object.fromEntries(rules),
        scopes: Object.fromEntries(scopes),
      })),
      shown: this.#shown,
      blocks: this.#blocks,
      notable: this.#notable,
      unshown: this.#unshown,
    };
    this.#received = 0;
    this.#unshown = 0;
    this.#seconds = new Map();
    this.#minutes = new Map();
    this.#shown = [];
    this.#blocks = [];
    this.#notable = [];
    return batch;
  }

  #secondAt(t: number): SecondCount | null {
    const second = Math.floor(t / 1_000);
    const known = this.#seconds.get(second);
    if (known !== undefined) return known;
    if (this.#seconds.size >= SECONDS_PER_BATCH) return null;
    const bin = { second, lines: 0, allow: 0, soft: 0, hard: 0, withheld: 0, withheldLines: 0, topLevel: 0 };
    this.#seconds.set(second, bin);
    return bin;
  }

  #noteWithheld({ t, from, hidden }: FeedLine): void {
    if (!isObject(hidden)) return;
    const bin = this.#secondAt(numberOf(from) || t);
    if (bin === null) return;
    bin.withheld += numberOf(hidden.decision);
    for (const count of Object.values(hidden)) bin.withheldLines += numberOf(count);
  }

  #countNames(t: number, reasons: ShownDecision['reasons']): void {
    if (reasons.length === 0) return;
    const minute = Math.floor(t / 60_000);
    let names = this.#minutes.get(minute);
    if (names === undefined) {
      if (this.#minutes.size >= MINUTES_PER_BATCH) return;
      names = { rules: new Map(), scopes: new Map() };
      this.#minutes.set(minute, names);
    }
    for (const { rule, scope } of reasons) {
      countName(names.rules, rule);
      countName(names.scopes, scope);
    }
  }

  /** The newest stay. Denials go before what was allowed: in a flood the allowed are the ones to leave out. */
  #show(line: FeedLine): void {
    if (this.#shown.length < SHOWN_PER_BATCH) {
      this.#shown.push(line);
      return;
    }
    this.#unshown += 1;
    const oldestAllowed = this.#shown.findIndex(isAllowed);
    if (oldestAllowed === -1 && isAllowed(line)) return;
    this.#shown.splice(Math.max(0, oldestAllowed), 1);
    this.#shown.push(line);
  }
}

const isAllowed = (line: FeedLine): boolean => decisionOf(line)?.outcome === 'ALLOW';

function countOutcome(bin: SecondCount, outcome: Outcome, level: number): void {
  if (outcome === 'ALLOW') bin.allow += 1;
  else if (outcome === 'SOFT_BLOCK') bin.soft += 1;
  else bin.hard += 1;
  bin.topLevel = Math.max(bin.topLevel, level);
}

function keepNewest(lines: FeedLine[], line: FeedLine): void {
  lines.push(line);
  if (lines.length > SHOWN_PER_BATCH) lines.shift();
}

interface NameCounts {
  readonly rules: Map<string, number>;
  readonly scopes: Map<string, number>;
}

function countName(counts: Map<string, number>, name: string): void {
  const count = counts.get(name);
  if (count !== undefined) counts.set(name, count + 1);
  else if (counts.size < NAMES_PER_MINUTE) counts.set(name, 1);
}
