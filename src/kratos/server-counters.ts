import type { CountedHit, CounterState, ExpiringCounters } from '../stores/expiring-counters.ts';
import {
  type AttemptCounters,
  type AttemptSubject,
  type AttemptTally,
  type CounterRules,
  sharerOf,
  type Tally,
} from './attempt-counters.ts';
import type { CounterKeys } from './counter-keys.ts';

/**
 * Counters that the server itself keeps, as Redis does: one round trip whatever was known before, and the same values as
 * an existing deployment has, so that both can count together.
 */
export class ServerCounters implements AttemptCounters {
  readonly #counters: ExpiringCounters;
  readonly #keys: CounterKeys;
  readonly #rules: CounterRules;

  constructor(counters: ExpiringCounters, keys: CounterKeys, rules: CounterRules) {
    this.#counters = counters;
    this.#keys = keys;
    this.#rules = rules;
  }

  async count(subject: AttemptSubject): Promise<AttemptTally> {
    const { identifierWindowMs, ipWindowMs } = this.#rules;
    const { identifiers, ip } = subject;
    const steps = identifiers.map((identifier) => ({
      key: this.#keys.identifier(identifier).text,
      windowMs: identifierWindowMs,
      share: null,
    }));
    if (ip === null) return { identifiers: (await this.#counters.add(steps)).map(tallyOf), ip: null };
    const own = { key: this.#keys.ip(ip).text, windowMs: ipWindowMs, share: this.#shareOf(subject) };
    const tallies = (await this.#counters.add([...steps, own])).map(tallyOf);
    return { identifiers: tallies.slice(0, identifiers.length), ip: tallies[identifiers.length] ?? null };
  }

  async takeBack(subject: AttemptSubject, tally: AttemptTally): Promise<void> {
    const { identifiers, ip } = subject;
    const hits: CountedHit[] = identifiers.map((identifier, index) => ({
      key: this.#keys.identifier(identifier).text,
      share: null,
      remainingMs: tally.identifiers[index]?.window ?? 0,
    }));
    if (ip !== null && tally.ip !== null) {
      hits.push({
        key: this.#keys.ip(ip).text,
        share: this.#shareOf(subject),
        remainingMs: tally.ip.window,
      });
    }
    await this.#counters.takeBack(hits);
  }

  async reset(identifier: string | null, ip: string | null): Promise<void> {
    const isAll = this.#rules.resetIp === 'all';
    const cleared = [
      ...(identifier === null ? [] : [this.#keys.identifier(identifier).text]),
      ...(ip !== null && isAll ? [this.#keys.ip(ip).text] : []),
    ];
    const isShared = ip !== null && identifier !== null && !isAll;
    await Promise.all([
      cleared.length > 0 ? this.#counters.remove(cleared) : null,
      isShared ? this.#counters.takeShare(this.#keys.ip(ip).text, this.#keys.sharer(identifier)) : null,
    ]);
  }

  async ping(): Promise<void> {
    await this.#counters.ping();
  }

  #shareOf(subject: AttemptSubject): string | null {
    const sharer = sharerOf(subject);
    return sharer === null ? null : this.#keys.sharer(sharer);
  }
}

/** The server tells no time: within one window the time that remains only falls, so that tells windows apart. */
const tallyOf = ({ count, remainingMs }: CounterState): Tally => ({
  attempts: count,
  remainingMs,
  window: remainingMs,
});
