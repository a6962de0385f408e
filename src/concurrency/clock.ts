import { performance } from 'node:perf_hooks';

/**
 * Time as the caps see it: milliseconds that never run backwards. Their start is the epoch as it was when the process
 * began, because nodes that share a dependency probe it at the same moments (see `gradient.ts`); a later step of the
 * system clock changes nothing.
 */
export interface Clock {
  /** Milliseconds, not necessarily whole. */
  now(): number;
  /** Runs the callback once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, run: () => void): () => void;
}

const epochMs = performance.timeOrigin;

/** The clock and the timers of this process. A pending timer does not keep the process alive. */
export const systemClock: Clock = {
  now: () => epochMs + performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
