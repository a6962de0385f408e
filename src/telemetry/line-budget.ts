import { SECOND_MS } from '../core/duration.ts';

/** At most so many lines a second; what is left out is counted, so that it can be told. */
export class LineBudget {
  readonly #perSecond: number;
  readonly #clock: () => number;
  readonly #written = { lesser: 0, grave: 0 };
  #second = Number.NEGATIVE_INFINITY;
  #hidden = 0;

  constructor(perSecond: number, clock: () => number) {
    this.#perSecond = perSecond;
    this.#clock = clock;
  }

  /** How many were left out and not told of yet. */
  get hidden(): number {
    return this.#hidden;
  }

  /** What is grave has as much room again, so that a flood of lesser lines cannot hide it. */
  allows(isGrave: boolean): boolean {
    this.#turnSecond();
    const kind = isGrave ? 'grave' : 'lesser';
    if (this.#written[kind] >= this.#perSecond) {
      this.#hidden += 1;
      return false;
    }
    this.#written[kind] += 1;
    return true;
  }

  /** To be called when the count has really been written. */
  toldHidden(): void {
    this.#hidden = 0;
  }

  #turnSecond(): void {
    const second = Math.floor(this.#clock() / SECOND_MS);
    if (second === this.#second) return;
    this.#second = second;
    this.#written.lesser = 0;
    this.#written.grave = 0;
  }
}
