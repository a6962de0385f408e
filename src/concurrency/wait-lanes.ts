import type { Denied, Priority } from './admission.ts';
import type { Clock } from './clock.ts';
import { type Linked, LinkedQueue } from './linked-queue.ts';
import type { Slot } from './slot.ts';

/** From first to last. The lane of health checks leads to slots of their own, so they compete with nobody. */
const ranks: Readonly<Record<Priority, number>> = { health: 0, critical: 1, normal: 2, background: 3 };

export function isPriority(value: string): value is Priority {
  return Object.hasOwn(ranks, value);
}

/** A call that waits. Leaves exactly once: let in, or denied. */
export class Waiter implements Linked<Waiter> {
  readonly priority: Priority;
  readonly since: number;
  /** From then on it is too late to be let in. */
  readonly until: number;
  readonly signal: AbortSignal | undefined;
  previous: Waiter | null = null;
  next: Waiter | null = null;
  private readonly decide: (admission: Slot | Denied) => void;
  private stopWaiting: (() => void) | null = null;

  constructor(
    priority: Priority,
    since: number,
    until: number,
    signal: AbortSignal | undefined,
    decide: (admission: Slot | Denied) => void,
  ) {
    this.priority = priority;
    this.since = since;
    this.until = until;
    this.signal = signal;
    this.decide = decide;
  }

  /** What ends when the wait does: a timer, the ear on the signal. */
  onLeave(stop: () => void): void {
    this.stopWaiting = stop;
  }

  leave(admission: Slot | Denied): void {
    this.stopWaiting?.();
    this.decide(admission);
  }
}

/**
 * The waiting calls, one queue per priority. All operations take constant time. All may wait equally long, so
 * the first of a queue is the first to be late, and one timer does for all.
 */
export class WaitLanes {
  private readonly clock: Clock;
  private readonly deadlineMs: number;
  private readonly onLate: (waiters: readonly Waiter[]) => void;
  private readonly lanes = [
    new LinkedQueue<Waiter>(),
    new LinkedQueue<Waiter>(),
    new LinkedQueue<Waiter>(),
    new LinkedQueue<Waiter>(),
  ] as const;
  private total = 0;
  private isTimed = false;

  constructor(clock: Clock, deadlineMs: number, onLate: (waiters: readonly Waiter[]) => void) {
    this.clock = clock;
    this.deadlineMs = deadlineMs;
    this.onLate = onLate;
  }

  get size(): number {
    return this.total;
  }

  /** The next health check. */
  get firstHealthCheck(): Waiter | null {
    return this.lanes[0].first;
  }

  /** The next of all others. */
  get first(): Waiter | null {
    const [, critical, normal, background] = this.lanes;
    return critical.first ?? normal.first ?? background.first;
  }

  /** How many wait for the same slots as a call of this priority. */
  sizeFor(priority: Priority): number {
    const { size } = this.lanes[0];
    return priority === 'health' ? size : this.total - size;
  }

  /** Who makes room for a call of this priority: the newest of the lowest priority below it. Never for health checks. */
  lastBelow(priority: Priority): Waiter | null {
    if (priority === 'health') return null;
    for (let rank = this.lanes.length - 1; rank > ranks[priority]; rank -= 1) {
      const last = this.lanes[rank]?.last;
      if (last) return last;
    }
    return null;
  }

  push(waiter: Waiter): void {
    this.lanes[ranks[waiter.priority]]?.push(waiter);
    this.total += 1;
    if (!this.isTimed) this.setTimer(this.deadlineMs);
  }

  remove(waiter: Waiter): void {
    this.lanes[ranks[waiter.priority]]?.remove(waiter);
    this.total -= 1;
  }

  /** The timer outlives its waiter: to move it with each one would cost more than one that finds nothing to do. */
  private setTimer(delayMs: number): void {
    this.isTimed = true;
    this.clock.after(delayMs, () => this.dismissLate());
  }

  private dismissLate(): void {
    const latest = this.clock.now() - this.deadlineMs;
    const late: Waiter[] = [];
    let oldest = Number.POSITIVE_INFINITY;
    for (const lane of this.lanes) {
      for (let { first } = lane; first !== null && first.since <= latest; { first } = lane) {
        this.remove(first);
        late.push(first);
      }
      if (lane.first !== null) oldest = Math.min(oldest, lane.first.since);
    }
    this.isTimed = false;
    if (this.total > 0) this.setTimer(Math.max(1, oldest - latest));
    if (late.length > 0) this.onLate(late);
  }
}
