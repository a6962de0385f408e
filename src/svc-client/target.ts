import { type Bucket, fullBucket, type Quota } from '../core/bucket.ts';
import { invariant } from '../core/fault.ts';
import type { DenialCounts } from './events.ts';
import { FreePlaces } from './free-places.ts';
import type { BaseUrl, TargetSettings } from './options.ts';
import { carryOver, isSameQuota, type Pool, type PoolPolicy, quotaOf } from './pool.ts';
import { closedBreaker, type TargetBreaker } from './target-breaker.ts';
import { freshBudget, type TargetRetryBudget } from './target-retry-budget.ts';
import type { Endpoint, Transport } from './transport.ts';

/** A limit that an operator set for a time. */
interface Pin {
  readonly policy: PoolPolicy;
  readonly until: number;
}

/** An endpoint and the path prefix under which the service lives there. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly prefix: string;
}

interface OpenRoute extends Route {
  readonly origin: string;
}

/** One service as this client knows it: its settings and what has been seen of it. */
export class Target {
  readonly slugKey: string;
  settings: TargetSettings;
  bucket: Bucket = fullBucket;
  breaker: TargetBreaker = closedBreaker;
  retryBudget: TargetRetryBudget;
  /** Calls that wait for a place in the pool. */
  waiting = 0;
  /** Calls that have begun and not ended, between their attempts too. */
  underWay = 0;
  /** Whether it is no longer a target of its client; calls under way go on. */
  removed = false;
  /** When a call was last asked for; targets nobody asks for have no say in what a partition is. */
  askedAt = Number.NEGATIVE_INFINITY;
  /**
   * Whether its answers come with receipts. Nothing is lent before one has been seen, because it might never come
   * back; a callee that knows passports gives a receipt for a loan of nothing too.
   */
  givesReceipts = false;
  readonly counts = { calls: 0, attempts: 0, retries: 0, failures: 0, denied: {} as DenialCounts };
  readonly #transport: Transport;
  #routes: readonly OpenRoute[] = [];
  #turn = 0;
  /** What the pool gives now, in which its bucket is counted: the pinned limit while it lasts, else the configured one. */
  #quota: Quota;
  #free = new FreePlaces();
  #pin: Pin | null = null;
  #onIdle: (() => void) | null = null;
  #closing: Promise<void> | null = null;

  constructor(settings: TargetSettings, transport: Transport, now: number) {
    this.slugKey = settings.slugKey;
    this.settings = settings;
    this.#transport = transport;
    this.#quota = quotaOf(settings.pool);
    this.#routes = settings.urls.map((url) => this.#open(url));
    this.retryBudget = freshBudget(settings.retryBudget, now);
  }

  /** Its pool as it is now. */
  pool(now: number): Pool {
    this.#endPin(now);
    return { bucket: this.bucket, quota: this.#quota, free: this.#free };
  }

  /** The pin in force, for those who look. */
  pinned(now: number): { readonly policy: PoolPolicy; readonly forMs: number } | null {
    if (this.#pin === null || now >= this.#pin.until) return null;
    return { policy: this.#pin.policy, forMs: this.#pin.until - now };
  }

  pin(policy: PoolPolicy, forMs: number, now: number): void {
    this.#endPin(now);
    this.#pin = { policy, until: now + forMs };
    this.#limitTo(policy, now);
  }

  unpin(now: number): void {
    this.#pin = null;
    this.#limitTo(this.settings.pool, now);
  }

  /** The next URL in turn. */
  nextRoute(): Route {
    this.#turn = (this.#turn + 1) % this.#routes.length;
    const route = this.#routes[this.#turn];
    invariant(route !== undefined, 'a target has at least one URL');
    return route;
  }

  /** Takes new settings and keeps what has been seen. Resolves when connections that are no longer used are closed. */
  async reconfigure(settings: TargetSettings, now: number): Promise<void> {
    const unused = [...this.#routes];
    const sameConnections = settings.connections === this.settings.connections;
    this.#endPin(now);
    this.settings = settings;
    if (this.#pin === null) this.#limitTo(settings.pool, now);
    this.#routes = settings.urls.map((url) => {
      const at = sameConnections ? unused.findIndex(({ origin }) => origin === url.origin) : -1;
      // Taken out: connections are per URL, and two URLs may have one origin.
      const [kept] = at < 0 ? [] : unused.splice(at, 1);
      return kept === undefined ? this.#open(url) : { ...kept, prefix: url.prefix };
    });
    await closeAll(unused);
  }

  /** A call under way has ended. */
  noteEnd(): void {
    this.underWay -= 1;
    if (this.underWay === 0) this.#onIdle?.();
  }

  /** Waits for calls under way, those that wait for a retry too, then closes the connections. */
  close(): Promise<void> {
    this.removed = true;
    this.#closing ??= this.#closeWhenIdle();
    return this.#closing;
  }

  async #closeWhenIdle(): Promise<void> {
    if (this.underWay > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    await closeAll(this.#routes);
  }

  /** One whose time is over has ended then. */
  #endPin(now: number): void {
    if (this.#pin !== null && now >= this.#pin.until) this.unpin(this.#pin.until);
  }

  #limitTo(policy: PoolPolicy, now: number): void {
    const quota = quotaOf(policy);
    if (isSameQuota(quota, this.#quota)) return;
    this.bucket = carryOver(this.bucket, this.#quota, quota, this.waiting, Math.floor(now));
    this.#quota = quota;
    this.#free = new FreePlaces();
  }

  #open({ origin, prefix }: BaseUrl): OpenRoute {
    return { origin, prefix, endpoint: this.#transport.open(origin, this.settings.connections) };
  }
}

async function closeAll(routes: readonly Route[]): Promise<void> {
  await Promise.all(routes.map(({ endpoint }) => endpoint.close()));
}
