import type { Clock } from './clock.ts';

/**
 * Probes at a steady pace, one at a time, until it is stopped. A probe that takes longer than the pace delays the
 * next; it is never joined by a second.
 */
export class ProbeLoop {
  readonly #probe: () => Promise<void>;
  readonly #everyMs: number;
  readonly #clock: Clock;
  #cancel: (() => void) | null = null;

  constructor(probe: () => Promise<void>, everyMs: number, clock: Clock) {
    this.#probe = probe;
    this.#everyMs = everyMs;
    this.#clock = clock;
  }

  start(): void {
    this.#schedule(this.#everyMs);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #schedule(delayMs: number): void {
    this.#cancel = this.#clock.after(delayMs, () => {
      void this.#round();
    });
  }

  async #round(): Promise<void> {
    const startedAt = this.#clock.now();
    await this.#probe();
    if (this.#cancel !== null) this.#schedule(Math.max(1, startedAt + this.#everyMs - this.#clock.now()));
  }
}
