import type { Clock } from './clock.ts';

/**
 * Probes at a steady pace, one at a time, until it is stopped. A probe that takes longer than the pace delays the
 * next; it is never joined by a second.
 */
export class ProbeLoop {
  readonly #probe: () => Promise<void>;
  readonly #everyMs: number;
  readonly #clock: Clock;
  #cancel: () => void = () => undefined;
  /** Counts starts and stops: a round that was under way when its loop ended begins no further one. */
  #turn = 0;

  constructor(probe: () => Promise<void>, everyMs: number, clock: Clock) {
    this.#probe = probe;
    this.#everyMs = everyMs;
    this.#clock = clock;
  }

  /** @param firstInMs until the first probe; default: as long as between any two */
  start(firstInMs = this.#everyMs): void {
    this.stop();
    this.#schedule(firstInMs);
  }

  stop(): void {
    this.#turn += 1;
    this.#cancel();
  }

  #schedule(delayMs: number): void {
    this.#cancel = this.#clock.after(delayMs, () => {
      void this.#round();
    });
  }

  async #round(): Promise<void> {
    const turn = this.#turn;
    const startedAt = this.#clock.now();
    await this.#probe();
    if (this.#turn === turn) this.#schedule(Math.max(1, startedAt + this.#everyMs - this.#clock.now()));
  }
}
