import { clearingStore } from '../stores/clearing-store.ts';
import type { Store } from '../stores/store.ts';
import {
  type AttemptCounters,
  type AttemptSubject,
  type AttemptTally,
  type CounterRules,
  sharerOf,
  type Tally,
} from './attempt-counters.ts';
import {
  type AttemptKey,
  clearAttempts,
  countAttempt,
  countShared,
  takeAttempt,
  takeShare,
} from './attempt-steps.ts';
import type { CounterKeys } from './counter-keys.ts';

/** Counters as records of any store: one pure step for each group, all of them sent at once. */
export class RecordCounters implements AttemptCounters {
  readonly #store: Store;
  readonly #keys: CounterKeys;
  readonly #rules: CounterRules;

  constructor(store: Store, keys: CounterKeys, rules: CounterRules) {
    this.#store = clearingStore(store);
    this.#keys = keys;
    this.#rules = rules;
  }

  async count(subject: AttemptSubject): Promise<AttemptTally> {
    const { identifiers, ip } = subject;
    const { identifierWindowMs } = this.#rules;
    const [ipTally, ...tallies] = await Promise.all([
      ip === null ? null : this.#countIp(ip, sharerOf(subject)),
      ...identifiers.map((identifier) => {
        const key: AttemptKey = this.#keys.identifier(identifier);
        return this.#store.transact([key], (records, t) => countAttempt(records, key, identifierWindowMs, t));
      }),
    ]);
    return { identifiers: tallies, ip: ipTally };
  }

  async takeBack(subject: AttemptSubject, tally: AttemptTally): Promise<void> {
    const { identifiers, ip } = subject;
    const steps = identifiers.map((identifier, index) =>
      this.#take(this.#keys.identifier(identifier), null, tally.identifiers[index]),
    );
    if (ip !== null) {
      const sharer = sharerOf(subject);
      const share = sharer === null ? null : this.#keys.share(ip, sharer);
      steps.push(this.#take(this.#keys.ip(ip), share, tally.ip));
    }
    await Promise.all(steps);
  }

  async reset(identifier: string | null, ip: string | null): Promise<void> {
    const isAll = this.#rules.resetIp === 'all';
    const steps: Promise<void>[] = [];
    if (identifier !== null) steps.push(this.#clear(this.#keys.identifier(identifier)));
    if (ip !== null && isAll) steps.push(this.#clear(this.#keys.ip(ip)));
    if (ip !== null && identifier !== null && !isAll) steps.push(this.#takeShare(ip, identifier));
    await Promise.all(steps);
  }

  async ping(): Promise<void> {
    await this.#store.ping();
  }

  #countIp(ip: string, sharer: string | null): Promise<Tally> {
    const { ipWindowMs } = this.#rules;
    const key: AttemptKey = this.#keys.ip(ip);
    if (sharer === null) {
      return this.#store.transact([key], (records, t) => countAttempt(records, key, ipWindowMs, t));
    }
    const share: AttemptKey = this.#keys.share(ip, sharer);
    return this.#store.transact([key, share], (records, t) =>
      countShared(records, key, share, ipWindowMs, t),
    );
  }

  async #take(key: AttemptKey, share: AttemptKey | null, tally: Tally | null | undefined): Promise<void> {
    if (tally === null || tally === undefined) return;
    const keys = share === null ? [key] : [key, share];
    await this.#store.transact(keys, (records, t) => takeAttempt(records, key, share, tally.window, t));
  }

  #clear(key: AttemptKey): Promise<void> {
    return this.#store.transact([key], (records, t) => clearAttempts(records, key, t));
  }

  #takeShare(ip: string, identifier: string): Promise<void> {
    const key: AttemptKey = this.#keys.ip(ip);
    const share: AttemptKey = this.#keys.share(ip, identifier);
    return this.#store.transact([key, share], (records, t) => takeShare(records, key, share, t));
  }
}
