import type { Clock } from './clock.ts';

/** Something that ends at a time unless it is removed before. */
export interface Expiring {
  /** On the clock of the watch, in milliseconds. */
  readonly expiresAt: number;
  expire(): void;
}

/**
 * One timer for all that is under way. A timer of its own per call is set to be cancelled in nearly every case, which
 * costs more than all other bookkeeping of a call; here a call enters and leaves a set. The timer runs to the earliest
 * expiry known when it was set and looks again when it is due.
 */
export class ExpiryWatch {
  readonly #clock: Clock;
  readonly #watched = new Set<Expiring>();
  #dueAt = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(expiring: Expiring): void {
    this.#watched.add(expiring);
    if (expiring.expiresAt < this.#dueAt) this.#arm(expiring.expiresAt);
  }

  remove(expiring: Expiring): void {
    this.#watched.delete(expiring);
  }

  #arm(dueAt: number): void {
    this.#cancel?.();
    this.#dueAt = dueAt;
    this.#cancel = this.#clock.after(Math.max(1, dueAt - this.#clock.now()), this.#sweep, {
      keepsAlive: false,
    });
  }

  readonly #sweep = () => {
    this.#cancel = null;
    this.#dueAt = Number.POSITIVE_INFINITY;
    const now = this.#clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const expiring of this.#watched) {
      if (expiring.expiresAt > now) {
        next = Math.min(next, expiring.expiresAt);
        continue;
      }
      this.#watched.delete(expiring);
      expiring.expire();
    }
    if (next < this.#dueAt) this.#arm(next);
  };
}
