import type { ClientRateLimitInfo, Options, Store } from 'express-rate-limit';
import { HitCounter, type HitCounterOptions } from '../../limits/hit-counter.ts';

/** How a store for express-rate-limit is made: over any store of this package. */
export interface PortcullisStoreOptions extends Omit<HitCounterOptions, 'name'> {
  /** Keeps the counts of several limiters apart: letters, digits, `_`, `.` and `-`. Default `default`. */
  readonly prefix?: string | undefined;
}

/**
 * A store for the package express-rate-limit, so that an application that uses it can share its counts over Redis,
 * PostgreSQL or LMDB, and move to `portcullis/express` when it likes. Keys are hashed before they are stored.
 *
 * There is no `resetAll`: no store of this package forgets what it was not asked about by name.
 */
export class PortcullisStore implements Store {
  readonly prefix: string;
  /** Whether other processes do not see these counts. */
  readonly localKeys: boolean;
  readonly #counter: HitCounter;
  #windowMs = 60_000;

  /** @throws Fault `CONFIG_INVALID` when the secret is too short or the prefix not well formed. */
  constructor({ prefix = 'default', ...options }: PortcullisStoreOptions) {
    this.prefix = prefix;
    this.localKeys = options.store.immediate !== undefined;
    this.#counter = new HitCounter({ ...options, name: prefix });
  }

  init({ windowMs }: Options): void {
    this.#windowMs = windowMs;
  }

  async get(key: string): Promise<ClientRateLimitInfo | undefined> {
    const found = await this.#counter.look(key);
    return found === null ? undefined : infoOf(found.hits, found.resetAt);
  }

  async increment(key: string): Promise<ClientRateLimitInfo> {
    const { hits, resetAt } = await this.#counter.increment(key, this.#windowMs);
    return infoOf(hits, resetAt);
  }

  async decrement(key: string): Promise<void> {
    await this.#counter.decrement(key);
  }

  async resetKey(key: string): Promise<void> {
    await this.#counter.reset(key);
  }
}

function infoOf(totalHits: number, resetAt: number): ClientRateLimitInfo {
  return { totalHits, resetTime: new Date(resetAt) };
}
