const SECOND_MS = 1000;

/** At most so many lines a second; what is left out is counted, so that it can be told. */
export class LineBudget {
  readonly #perSecond: number;
  readonly #clock: () => number;
  #second = Number.NEGATIVE_INFINITY;
  #lines = 0;
  #hidden = 0;

  constructor(perSecond: number, clock: () => number) {
    this.#perSecond = perSecond;
    this.#clock = clock;
  }

  /** What is grave has as much room again, so that a flood of lesser lines cannot hide it. */
  allows(isGrave: boolean): boolean {
    const second = Math.floor(this.#clock() / SECOND_MS);
    if (second !== this.#second) {
      this.#second = second;
      this.#lines = 0;
    }
    this.#lines += 1;
    if (this.#lines <= (isGrave ? 2 * this.#perSecond : this.#perSecond)) return true;
    this.#hidden += 1;
    return false;
  }

  /** How many were left out since this was last asked. */
  takeHidden(): number {
    const hidden = this.#hidden;
    this.#hidden = 0;
    return hidden;
  }
}
