import type { DegradedCap } from './failure-policy.ts';

/**
 * Counts the attempts of each subject of one key kind in exact sliding windows. Bounded: once all places are taken, all
 * further subjects share one window.
 *
 * A place is given anew when its window has run empty, but only while the shared window is empty too. So an attempt
 * that was counted on the shared one is never followed by a fresh window of its own, and the cap of a subject holds.
 */
export class CapTable {
  readonly cap: DegradedCap;
  readonly #places: number;
  /** Times of counted attempts, oldest first; subjects in the order of their last one. */
  readonly #windows = new Map<string, number[]>();
  #overflow: number[] = [];

  constructor(cap: DegradedCap, places: number) {
    this.cap = cap;
    this.#places = places;
  }

  /** Whether one more attempt of this subject stays within the cap. Counts nothing. */
  hasRoom(subject: string, now: number): boolean {
    const window = this.#windows.get(subject);
    if (window !== undefined) return this.#countWithin(window, now) < this.cap.count;
    return this.#hasPlace(now) || this.#countWithin(this.#overflow, now) < this.cap.count;
  }

  /** Counts an attempt. */
  count(subject: string, now: number): void {
    const window = this.#windows.get(subject);
    if (window === undefined && !this.#hasPlace(now)) {
      this.#overflow = [...this.#within(this.#overflow, now), now];
      return;
    }
    this.#windows.delete(subject);
    this.#windows.set(subject, [...this.#within(window ?? [], now), now]);
  }

  /** Takes back an attempt that was counted at this time. */
  takeBack(subject: string, at: number): void {
    const own = this.#windows.get(subject);
    const window = own?.includes(at) ? own : this.#overflow;
    const index = window.lastIndexOf(at);
    if (index >= 0) window.splice(index, 1);
    if (own?.length === 0) this.#windows.delete(subject);
  }

  #hasPlace(now: number): boolean {
    if (this.#windows.size >= this.#places) this.#dropIdle(now);
    return this.#windows.size < this.#places;
  }

  #dropIdle(now: number): void {
    if (this.#countWithin(this.#overflow, now) > 0) return;
    for (const [subject, window] of this.#windows) {
      if (this.#countWithin(window, now) > 0) return;
      this.#windows.delete(subject);
    }
  }

  #within(window: readonly number[], now: number): number[] {
    return window.slice(window.length - this.#countWithin(window, now));
  }

  /** Times are in order, so those within the window stand at the end. */
  #countWithin(window: readonly number[], now: number): number {
    const from = now - this.cap.windowMs;
    let count = 0;
    while (count < window.length && (window[window.length - 1 - count] ?? from) > from) count += 1;
    return count;
  }
}
