/**
 * How long a connection may say nothing. One that is lost without a word, as when a laptop sleeps or a network forgets it,
 * stays open for the browser, and the page would call itself live over numbers that stand still.
 */
export class Silence {
  readonly #mostMs: number;
  readonly #end = new AbortController();
  #timer: ReturnType<typeof setTimeout>;

  constructor(mostMs: number) {
    this.#mostMs = mostMs;
    this.#timer = this.#wait();
  }

  /** Aborted when nothing was said for too long. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Something was said. */
  broken(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#wait();
  }

  /** The connection has ended, and nobody waits for more. */
  over(): void {
    clearTimeout(this.#timer);
  }

  #wait(): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#end.abort(), this.#mostMs);
  }
}
