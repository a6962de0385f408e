import { performance } from 'node:perf_hooks';

/** Read once: each reading costs as much as that of the clock itself. */
const { timeOrigin } = performance;

/**
 * Time as a guard's failure modes see it: milliseconds since the epoch that never run backwards. A step of the
 * system clock neither trips a breaker nor closes one.
 */
export interface Clock {
  /** Milliseconds, not necessarily whole. */
  now(): number;
  /** Runs the callback once after `delayMs`; the returned function cancels it. Must not keep the process alive. */
  after(delayMs: number, run: () => void): () => void;
}

/**
 * The clock and the timers of this process. A timer that is due runs before the replies that came in meanwhile are
 * looked at; one more turn of the event loop lets these count, so that a pause of this process is not taken for one of
 * the store.
 */
export const systemClock: Clock = {
  now: () => timeOrigin + performance.now(),
  after(delayMs, run) {
    let turn: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      turn = setImmediate(run);
    }, delayMs);
    timer.unref();
    return () => {
      clearTimeout(timer);
      clearImmediate(turn);
    };
  },
};
