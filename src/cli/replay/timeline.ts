import type { Outcome } from '../../core/decision.ts';

const BINS = 48;

export interface Bin {
  ALLOW: number;
  SOFT_BLOCK: number;
  HARD_BLOCK: number;
}

const emptyBin = (): Bin => ({ ALLOW: 0, SOFT_BLOCK: 0, HARD_BLOCK: 0 });

/**
 * Outcomes over time in a fixed number of bins. When an event lies outside, two bins become one and the span doubles,
 * so that any file fits without knowing its end.
 */
export class Timeline {
  #bins: Bin[] = Array.from({ length: BINS }, emptyBin);
  #start = 0;
  #binMs = 1_000;
  #empty = true;

  add(t: number, outcome: Outcome): void {
    if (this.#empty) {
      this.#start = t;
      this.#empty = false;
    }
    while (t >= this.#start + BINS * this.#binMs) this.#widen('later');
    while (t < this.#start) this.#widen('earlier');
    const bin = this.#bins[Math.floor((t - this.#start) / this.#binMs)];
    if (bin) bin[outcome] += 1;
  }

  /** From the first bin with an event to the last one: room that was made for earlier ones may be empty. */
  toJSON() {
    const first = Math.max(0, this.#bins.findIndex(isUsed));
    const bins = this.#bins.slice(first, this.#bins.findLastIndex(isUsed) + 1);
    return { start: this.#start + first * this.#binMs, binMs: this.#binMs, bins };
  }

  #widen(room: 'earlier' | 'later'): void {
    const merged: Bin[] = [];
    for (let index = 0; index < BINS; index += 2) {
      merged.push(sum(this.#bins[index] ?? emptyBin(), this.#bins[index + 1] ?? emptyBin()));
    }
    const fresh = Array.from({ length: BINS / 2 }, emptyBin);
    this.#bins = room === 'later' ? [...merged, ...fresh] : [...fresh, ...merged];
    if (room === 'earlier') this.#start -= BINS * this.#binMs;
    this.#binMs *= 2;
  }
}

const isUsed = (bin: Bin): boolean => bin.ALLOW + bin.SOFT_BLOCK + bin.HARD_BLOCK > 0;

const sum = (a: Bin, b: Bin): Bin => ({
  ALLOW: a.ALLOW + b.ALLOW,
  SOFT_BLOCK: a.SOFT_BLOCK + b.SOFT_BLOCK,
  HARD_BLOCK: a.HARD_BLOCK + b.HARD_BLOCK,
});
