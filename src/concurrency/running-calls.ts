import type { Clock } from './clock.ts';

/** In how many steps the longest run is counted: a call overruns at most one step late. */
const STEPS = 8;
/** Room for the steps that can have running calls, and to spare: a power of two, so that a mask finds the place. */
const RING = 16;
const MASK = RING - 1;

/**
 * Counts running calls, and stops counting those that run for too long. It keeps no list of them: calls are counted by
 * the step of a slow timer in which they began, and when a step is too long ago, all that is left of it is given up.
 * So a call costs two additions and no look at the clock, and however many are stuck, they are given up at once.
 */
export class RunningCalls {
  private readonly clock: Clock;
  private readonly stepMs: number;
  private readonly onOverrun: (calls: number) => void;
  private readonly begun: number[] = new Array<number>(RING).fill(0);
  private total = 0;
  private step = 0;
  private isTimed = false;

  constructor(clock: Clock, maxRunMs: number, onOverrun: (calls: number) => void) {
    this.clock = clock;
    this.stepMs = maxRunMs / STEPS;
    this.onOverrun = onOverrun;
  }

  get count(): number {
    return this.total;
  }

  /** Counts one more; returns the step it belongs to. */
  begin(): number {
    const step = this.step;
    const index = step & MASK;
    this.begun[index] = (this.begun[index] ?? 0) + 1;
    this.total += 1;
    if (!this.isTimed) this.setTimer();
    return step;
  }

  /** Whether a call of this step, if it has not ended, still counts. */
  counts(step: number): boolean {
    // It may have begun at the very end of its step, so the step itself is not part of its time.
    return this.step - step <= STEPS;
  }

  /** One of this step has ended; false if it no longer counted. */
  end(step: number): boolean {
    if (!this.counts(step)) return false;
    const index = step & MASK;
    this.begun[index] = (this.begun[index] ?? 0) - 1;
    this.total -= 1;
    return true;
  }

  private setTimer(): void {
    this.isTimed = true;
    this.clock.after(this.stepMs, () => this.nextStep());
  }

  private nextStep(): void {
    this.step += 1;
    const index = (this.step - STEPS - 1) & MASK;
    const overruns = this.begun[index] ?? 0;
    this.begun[index] = 0;
    this.total -= overruns;
    this.isTimed = false;
    if (this.total > 0) this.setTimer();
    if (overruns > 0) this.onOverrun(overruns);
  }
}
