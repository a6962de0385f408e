/** Runs something once after a time; the returned function cancels it. */
export type After = (delayMs: number, run: () => void) => () => void;

/** The timers of this process. A pending one does not keep it alive. */
export const processTimers: After = (delayMs, run) => {
  const timer = setTimeout(run, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
};

/** How many wait at most, where nobody says otherwise. */
export const defaultMostDelayed = 100;

/** Where calls wait that are held back. Bounded, so that delaying cannot exhaust the server: who finds no room goes on at once. */
export class DelayRoom {
  readonly #most: number;
  readonly #after: After;
  #waiting = 0;

  constructor(most: number, after: After) {
    this.#most = most;
    this.#after = after;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Resolves after the delay, or when the caller leaves. Null when there is no room. */
  wait(delayMs: number, signal?: AbortSignal): Promise<void> | null {
    if (this.#waiting >= this.#most) return null;
    this.#waiting += 1;
    return new Promise((resolve) => {
      const leave = () => {
        cancel();
        signal?.removeEventListener('abort', leave);
        this.#waiting -= 1;
        resolve();
      };
      const cancel = this.#after(delayMs, leave);
      if (signal?.aborted) leave();
      else signal?.addEventListener('abort', leave);
    });
  }
}
