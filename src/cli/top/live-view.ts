import type { Outcome } from '../../core/decision.ts';
import { eventWords } from './event-words.ts';
import {
  type ActiveBlocks,
  type Fields,
  fieldsOf,
  listIn,
  type ServiceStatus,
  textIn,
} from './service-status.ts';

export type Rates = Readonly<Record<Outcome, number>>;

const KEPT_SECONDS = 120;
const KEPT_EVENTS = 200;
const MOST_NAMES = 256;
const noRates: Rates = { ALLOW: 0, SOFT_BLOCK: 0, HARD_BLOCK: 0 };

/** What is known of a service from its status and its events. Bounded, whatever comes. */
export class LiveView {
  status: ServiceStatus | null = null;
  blocks: ActiveBlocks | null = null;
  /** Why nothing comes at the moment; null while something does. */
  trouble: string | null = null;
  /** Decisions per second, one entry per status, newest last. */
  readonly rates: Rates[] = [];
  /** Newest last. */
  readonly lines: string[] = [];
  readonly rules = new Map<string, number>();
  readonly scopes = new Map<string, number>();
  /** Events that the service left out because there were too many. */
  hidden = 0;

  takeStatus(status: ServiceStatus): void {
    const before = this.status;
    this.status = status;
    if (before === null || before.startedAt !== status.startedAt || status.at <= before.at) return;
    const seconds = (status.at - before.at) / 1_000;
    const rate = (outcome: Outcome) =>
      Math.max(0, status.decisions[outcome] - before.decisions[outcome]) / seconds;
    this.rates.push({ ALLOW: rate('ALLOW'), SOFT_BLOCK: rate('SOFT_BLOCK'), HARD_BLOCK: rate('HARD_BLOCK') });
    if (this.rates.length > KEPT_SECONDS) this.rates.shift();
  }

  /** The newest rates; zeros before there are any. */
  get rate(): Rates {
    return this.rates.at(-1) ?? noRates;
  }

  takeEvent(event: Fields): void {
    this.lines.push(eventWords(event));
    if (this.lines.length > KEPT_EVENTS) this.lines.shift();
    if (event.type === 'decision') this.#count(listIn(fieldsOf(event.decision).reasons));
    if (event.type === 'limit' && event.what === 'refused') countName(this.rules, textIn(event.rule));
    if (event.type === 'scenario') countName(this.rules, textIn(event.scenario) || textIn(event.name));
    if (event.type === 'sampled') this.#countHidden(fieldsOf(event.hidden));
  }

  #count(reasons: readonly Fields[]): void {
    for (const { rule, scope } of reasons) {
      countName(this.rules, textIn(rule));
      countName(this.scopes, textIn(scope));
    }
  }

  #countHidden(hidden: Fields): void {
    for (const count of Object.values(hidden)) if (typeof count === 'number') this.hidden += count;
  }
}

function countName(counts: Map<string, number>, name: string): void {
  if (name === '' || (counts.size >= MOST_NAMES && !counts.has(name))) return;
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
