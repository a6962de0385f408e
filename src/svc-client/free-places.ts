/**
 * Places in a pool that were booked and given up before their time: whoever asks next gets the earliest. Kept apart from
 * the pool's bucket, which knows only the last place: to shorten what it owes would give that one away a second time.
 */
export class FreePlaces {
  /** The earliest first. */
  readonly #times: number[] = [];

  /** The earliest that is still to come; null when there is none. */
  first(now: number): number | null {
    while (this.#times[0] !== undefined && this.#times[0] <= now) this.#times.shift();
    return this.#times[0] ?? null;
  }

  takeFirst(): void {
    this.#times.shift();
  }

  /** In whole milliseconds. */
  add(at: number): void {
    this.#times.splice(this.#indexAfter(at), 0, at);
  }

  /** Takes the latest, if that is it. */
  takeLast(at: number): boolean {
    if (this.#times.at(-1) !== at) return false;
    this.#times.pop();
    return true;
  }

  /** By halves: where the queue is long, all may leave it at once. */
  #indexAfter(at: number): number {
    let [low, high] = [0, this.#times.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#times[middle] ?? at) > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
