import type { Store } from '../stores/store.ts';

/** How long an answer of the store is taken as its present state. */
const freshMs = 1_000;
/** A probe that takes longer counts as a failed one. */
const patienceMs = 1_000;

/** Asks whether the store answers, at most once a second however many want to know. */
export class StorePulse {
  readonly #store: Store;
  readonly #clock: () => number;
  #asked: Promise<boolean> | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(store: Store, clock: () => number) {
    this.#store = store;
    this.#clock = clock;
  }

  answers(): Promise<boolean> {
    const now = this.#clock();
    if (this.#asked === null || now - this.#askedAt >= freshMs) {
      this.#askedAt = now;
      this.#asked = this.#ask();
    }
    return this.#asked;
  }

  async #ask(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), patienceMs);
    });
    const answered = this.#store.ping().then(
      () => true,
      () => false,
    );
    try {
      return await Promise.race([answered, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
