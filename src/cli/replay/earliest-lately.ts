/** The earliest of the latest times: of a thousand at least, and of two thousand at most. */
export class EarliestLately {
  readonly #count: number;
  #earlier = Number.NEGATIVE_INFINITY;
  #present = Number.POSITIVE_INFINITY;
  #noted = 0;

  constructor(count = 1_000) {
    this.#count = count;
  }

  /** Minus infinity before so many were noted. */
  get earliest(): number {
    return Math.min(this.#earlier, this.#present);
  }

  note(t: number): void {
    if (t < this.#present) this.#present = t;
    this.#noted += 1;
    if (this.#noted < this.#count) return;
    this.#earlier = this.#present;
    this.#present = Number.POSITIVE_INFINITY;
    this.#noted = 0;
  }
}
