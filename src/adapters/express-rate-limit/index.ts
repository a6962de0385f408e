import type { ClientRateLimitInfo, Options, Store } from 'express-rate-limit';
import { MINUTE_MS } from '../../core/duration.ts';
import { assertName } from '../../core/names.ts';
import { assertOptions, type OptionKinds } from '../../core/options.ts';
import { warnOfDeployment } from '../../limits/deployment-warnings.ts';
import { HitCounter, type HitCounterOptions } from '../../limits/hit-counter.ts';

/** How a store for express-rate-limit is made: over any store of this package. */
export interface PortcullisStoreOptions extends Omit<HitCounterOptions, 'name'> {
  /** Keeps the counts of several limiters apart: letters, digits, `_`, `.` and `-`. Default `default`. */
  readonly prefix?: string | undefined;
}

const optionKinds: OptionKinds<PortcullisStoreOptions> = {
  store: 'checked',
  secret: 'checked',
  environment: 'checked',
  prefix: 'checked',
};

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
  #windowMs = MINUTE_MS;

  /** @throws Fault `CONFIG_INVALID` when an option is unknown, of the wrong type or not well formed. */
  constructor(options: PortcullisStoreOptions) {
    assertOptions('PortcullisStore', options, optionKinds);
    const { prefix = 'default', ...counting } = options;
    assertName('prefix', prefix);
    this.prefix = prefix;
    this.#counter = new HitCounter({ ...counting, name: prefix });
    this.localKeys = counting.store.immediate !== undefined;
    warnOfDeployment(counting.store);
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
