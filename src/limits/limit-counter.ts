import type { LimitCounts, LimitEvent } from './events.ts';

/** Counts what a limiter does. */
export class LimitCounter {
  #allowed = 0;
  #storeFailures = 0;
  readonly #refused = { limit: 0, 'auto-block': 0, blocked: 0 };
  readonly #shadowed = { limit: 0, 'auto-block': 0, blocked: 0 };
  readonly #skipped = { cidr: 0, user: 0, header: 0 };

  allow(): void {
    this.#allowed += 1;
  }

  count(event: LimitEvent): void {
    if (event.type === 'refused') (event.shadow ? this.#shadowed : this.#refused)[event.rule] += 1;
    if (event.type === 'skipped') this.#skipped[event.by] += 1;
    if (event.type === 'store-failed') this.#storeFailures += 1;
  }

  counts(): LimitCounts {
    return {
      allowed: this.#allowed,
      refused: { ...this.#refused },
      shadowed: { ...this.#shadowed },
      skipped: { ...this.#skipped },
      storeFailures: this.#storeFailures,
    };
  }
}
