import type { Clock } from '../../guard/failure/clock.ts';
import { EPOCH_MS } from './simulated-server.ts';
import type { Timeline } from './timeline.ts';

/** The process of one guard: a clock that is off, and that may stand still for a while. */
export class SimulatedNode implements Clock {
  readonly index: number;
  readonly #timeline: Timeline;
  readonly #skewMs: number;
  #pausedUntil = 0;

  constructor(index: number, timeline: Timeline, skewMs: number) {
    this.index = index;
    this.#timeline = timeline;
    this.#skewMs = skewMs;
  }

  now(): number {
    return EPOCH_MS + this.#timeline.now + this.#skewMs;
  }

  after(delayMs: number, run: () => void): () => void {
    let cancel = this.#timeline.after(delayMs, () => {
      cancel = this.deliver(run);
    });
    return () => cancel();
  }

  /** Runs now or, if the node stands still, when it goes on; in the order in which things came. */
  deliver(run: () => void): () => void {
    const waitMs = this.#pausedUntil - this.#timeline.now;
    if (waitMs > 0) return this.#timeline.after(waitMs, () => this.#act(run));
    this.#act(run);
    return () => {};
  }

  pause(forMs: number): void {
    this.#pausedUntil = this.#timeline.now + forMs;
  }

  #act(run: () => void): void {
    this.#timeline.wake();
    run();
  }
}
