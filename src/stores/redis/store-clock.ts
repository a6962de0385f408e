import { slowdown } from '../whole-clock.ts';

/**
 * The store's time, told by a monotonic clock and its offset to the server's.
 *
 * A reply that says T, to a question sent at `sent` and answered at `received`, bounds the offset: T − received ≤
 * offset ≤ T − sent. Bounds of later replies narrow earlier ones, which widen with age by the drift two clocks may
 * have. Bounds that do not meet mean that the server's clock was set: the new ones count alone.
 */
const driftPerMs = 0.000_2;

export class StoreClock {
  readonly #monotonicMs: () => number;
  #lowMs = Number.NaN;
  #highMs = Number.NaN;
  #boundedAtMs = 0;
  #shownMs = 0;
  #shownAtMs = 0;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** Whether the server has ever told its time. */
  get isSet(): boolean {
    return !Number.isNaN(this.#lowMs);
  }

  /** Takes in what the server said. `anew` forgets earlier bounds: another server may be answering. */
  observe(serverMs: number, sentAtMs: number, receivedAtMs: number, anew = false): void {
    const low = serverMs - receivedAtMs;
    const high = serverMs - sentAtMs;
    const slackMs = (receivedAtMs - this.#boundedAtMs) * driftPerMs;
    const narrowedLow = Math.max(low, this.#lowMs - slackMs);
    const narrowedHigh = Math.min(high, this.#highMs + slackMs);
    const meets = !anew && narrowedLow <= narrowedHigh;
    this.#lowMs = meets ? narrowedLow : low;
    this.#highMs = meets ? narrowedHigh : high;
    this.#boundedAtMs = receivedAtMs;
  }

  /**
   * The store's time in whole milliseconds. Never less than what it was at an earlier call.
   *
   * @param atMs the monotonic time now, where it was just read
   */
  now(atMs = this.#monotonicMs()): number {
    const serverMs = atMs + (this.#lowMs + this.#highMs) / 2;
    const slowedMs = this.#shownMs + (atMs - this.#shownAtMs) * slowdown;
    this.#shownMs = serverMs >= this.#shownMs ? serverMs : slowedMs;
    this.#shownAtMs = atMs;
    return Math.floor(this.#shownMs);
  }
}
