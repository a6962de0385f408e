import { performance } from 'node:perf_hooks';

/**
 * Time as the rails see it: monotonic milliseconds from an arbitrary start. Never the time of day, so that a step of
 * the system clock neither opens a breaker nor ends a deadline.
 */
export interface Clock {
  /** Milliseconds, not necessarily whole. */
  now(): number;
  /**
   * Runs the callback once after `delayMs`; the returned function cancels it. With `keepsAlive: false` the process
   * does not stay up for it alone. Default true.
   */
  after(delayMs: number, run: () => void, options?: { readonly keepsAlive?: boolean }): () => void;
}

/** The monotonic clock and the timers of this process. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, run, options) {
    const timer = setTimeout(run, delayMs);
    if (options?.keepsAlive === false) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMs`; rejects at once with the signal's reason when the caller goes away. */
export function pause(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const leave = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    });
    signal?.addEventListener('abort', leave, { once: true });
  });
}
