import type { FeedFields, FeedType } from './feed-event.ts';

/** Of these there may be as many as there are requests; all others are rare and always shown. */
const plentiful: ReadonlySet<FeedType> = new Set<FeedType>([
  'decision',
  'block',
  'limit',
  'cap',
  'kratos',
  'corrupt',
  'scenario',
]);

const windowMs = 1000;

/**
 * Shows so many plentiful events a second and counts the others. The ordinary, as what was allowed, may take half of the room, so that
 * a flood of it does not hide what was refused.
 */
export class FeedSampler {
  readonly #perSecond: number;
  #windowStart = Number.NEGATIVE_INFINITY;
  #shown = 0;
  #shownOrdinary = 0;
  #hidden = new Map<FeedType, number>();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Whether nothing waits to be told. */
  get isQuiet(): boolean {
    return this.#hidden.size === 0;
  }

  shows(type: FeedType, isOrdinary: boolean, now: number): boolean {
    if (!plentiful.has(type)) return true;
    if (now - this.#windowStart >= windowMs || now < this.#windowStart) this.#open(now);
    if (this.#shown >= this.#perSecond || (isOrdinary && this.#shownOrdinary >= this.#perSecond / 2)) {
      this.#hidden.set(type, (this.#hidden.get(type) ?? 0) + 1);
      return false;
    }
    this.#shown += 1;
    if (isOrdinary) this.#shownOrdinary += 1;
    return true;
  }

  /** What the window that has ended left out; null when it runs or left out nothing. */
  takeSampled(now: number): FeedFields | null {
    if (this.#hidden.size === 0) return null;
    if (now - this.#windowStart < windowMs && now >= this.#windowStart) return null;
    const hidden = Object.fromEntries(this.#hidden);
    const sampled = { from: this.#windowStart, windowMs, shown: this.#shown, hidden };
    this.#hidden = new Map();
    return sampled;
  }

  #open(now: number): void {
    this.#windowStart = now;
    this.#shown = 0;
    this.#shownOrdinary = 0;
  }
}
