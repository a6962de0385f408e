import { Keyspace } from '../core/keys.ts';
import { assertName } from '../core/names.ts';
import type { Key, Records, StoredRecord } from '../core/records.ts';
import { createComponentHasher } from '../identity/component-hasher.ts';
import type { Secret } from '../identity/hmac.ts';
import { assertStore } from '../stores/assert-store.ts';
import { clearingStore } from '../stores/clearing-store.ts';
import type { Store } from '../stores/store.ts';

/** Hits of one client in its present window. */
interface HitRecord extends StoredRecord {
  readonly at: number;
  readonly hits: number;
  readonly resetAt: number;
}

export interface Hits {
  readonly hits: number;
  /** Store time in ms at which the count starts anew. */
  readonly resetAt: number;
}

export interface HitCounterOptions {
  readonly store: Store;
  /** Hashes keys before they are stored. At least 16 bytes. */
  readonly secret: Secret;
  /** Part of every key, so that environments can share a store. Default `default`. */
  readonly environment?: string | undefined;
  /** Part of every key; counters with different names do not meet. Default `default`. */
  readonly name?: string | undefined;
}

/**
 * Counts hits in fixed windows, which begin with a client's first hit. For rate limiters that want a store for such
 * counts; the limiter of this package does without windows.
 */
export class HitCounter {
  readonly #store: Store;
  readonly #keyOf: (text: string) => Key<HitRecord>;

  /** @throws Fault `CONFIG_INVALID` when the secret is too short or a name not well formed. */
  constructor({ store, secret, environment = 'default', name = 'default' }: HitCounterOptions) {
    assertStore(store);
    assertName('environment', environment);
    assertName('name', name);
    const { prefix } = new Keyspace(environment, `hits.${name}`);
    const hash = createComponentHasher({ secret });
    this.#store = clearingStore(store);
    this.#keyOf = (text) => ({ text: `${prefix}H:{${hash('account', text).hash}}`, was: null });
  }

  increment(client: string, windowMs: number): Promise<Hits> {
    return this.#change(client, (live, now) =>
      live === null ? { hits: 1, resetAt: now + windowMs } : { hits: live.hits + 1, resetAt: live.resetAt },
    );
  }

  /** Takes one hit back, in the window it was counted in; never below 0. */
  async decrement(client: string): Promise<void> {
    await this.#change(client, (live, now) =>
      live === null ? { hits: 0, resetAt: now } : { hits: Math.max(0, live.hits - 1), resetAt: live.resetAt },
    );
  }

  async reset(client: string): Promise<void> {
    await this.#change(client, (_, now) => ({ hits: 0, resetAt: now }));
  }

  /** Null where no window is open. */
  look(client: string): Promise<Hits | null> {
    const key = this.#keyOf(client);
    return this.#store.view([key], (records, now) => liveHits(records, key, now));
  }

  #change(client: string, change: (live: Hits | null, now: number) => Hits): Promise<Hits> {
    const key = this.#keyOf(client);
    return this.#store.transact([key], (records, t) => {
      const now = Math.max(t, records.get(key)?.at ?? t);
      const { hits, resetAt } = change(liveHits(records, key, now), now);
      const keepMs = Math.max(1, resetAt - t);
      records.put(key, { at: now, hits, resetAt }, { keepMs, softMs: 0, hardMs: 0 });
      return { hits, resetAt };
    });
  }
}

function liveHits(records: Records, key: Key<HitRecord>, now: number): Hits | null {
  const record = records.get(key);
  return record !== undefined && now < record.resetAt ? { hits: record.hits, resetAt: record.resetAt } : null;
}
