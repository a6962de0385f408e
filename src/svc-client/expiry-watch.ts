import { STANDSTILL_MS } from '../core/duration.ts';
import type { Clock } from './clock.ts';

/** Something that ends at a time unless it is removed before. The links belong to the watch. */
export interface Expiring {
  /** On the clock of the watch, in milliseconds. */
  readonly expiresAt: number;
  expire(): void;
  before: Expiring | null;
  after: Expiring | null;
}

/**
 * One timer for all that is under way. A timer of its own per call is set only to be cancelled, which costs more than
 * all other bookkeeping of a call; here a call is linked into a list and out of it. The timer runs to the earliest
 * expiry that was known when it was set, and looks again when it is due.
 */
export class ExpiryWatch {
  readonly #clock: Clock;
  #first: Expiring | null = null;
  #dueAt = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The time that expiries are told in. */
  now(): number {
    return this.#clock.now();
  }

  /** Watches something that is not being watched. */
  add(expiring: Expiring): void {
    expiring.after = this.#first;
    if (this.#first !== null) this.#first.before = expiring;
    this.#first = expiring;
    if (expiring.expiresAt < this.#dueAt) this.#arm(expiring.expiresAt);
  }

  /** Stops watching; does nothing when it is not being watched. */
  remove(expiring: Expiring): void {
    const { before, after } = expiring;
    if (before !== null) before.after = after;
    else if (this.#first === expiring) this.#first = after;
    if (after !== null) after.before = before;
    expiring.before = null;
    expiring.after = null;
  }

  #arm(dueAt: number): void {
    this.#cancel?.();
    this.#dueAt = dueAt;
    const delayMs = Math.max(1, dueAt - this.#clock.now());
    this.#cancel = this.#clock.after(delayMs, this.#sweep, { keepsAlive: false });
  }

  /**
   * A timer that is due runs before what came in meanwhile is looked at. Where this process stood still, that is first, so
   * that answers which are there count: its own pause must not open the breakers of all targets.
   */
  readonly #sweep = () => {
    const isHeldUp = this.#clock.now() - this.#dueAt > STANDSTILL_MS;
    this.#dueAt = Number.NEGATIVE_INFINITY;
    this.#cancel = isHeldUp ? this.#clock.after(1, this.#expire, { keepsAlive: false }) : null;
    if (!isHeldUp) this.#expire();
  };

  readonly #expire = () => {
    this.#cancel = null;
    this.#dueAt = Number.POSITIVE_INFINITY;
    const now = this.#clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const expiring of this.#listed()) {
      // One that expired before it may have removed it.
      if (expiring.before === null && expiring !== this.#first) continue;
      if (expiring.expiresAt > now) {
        next = Math.min(next, expiring.expiresAt);
        continue;
      }
      this.remove(expiring);
      expiring.expire();
    }
    if (next < this.#dueAt) this.#arm(next);
  };

  /** What is being watched now: what expires may itself remove others or come back. */
  #listed(): Expiring[] {
    const listed: Expiring[] = [];
    for (let expiring = this.#first; expiring !== null; expiring = expiring.after) listed.push(expiring);
    return listed;
  }
}
