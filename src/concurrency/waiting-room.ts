import type { CallOptions, DenialReason, Denied, Priority } from './admission.ts';
import type { CapSettings } from './cap-options.ts';
import { refuse, shed, tellShed } from './shedding.ts';
import type { Slot } from './slot.ts';
import { Waiter, WaitLanes } from './wait-lanes.ts';

/** Who waits for a slot, and how a wait ends without one: no room, no time, no caller, or someone more important. */
export class WaitingRoom {
  private readonly settings: CapSettings;
  private readonly lanes: WaitLanes;

  constructor(settings: CapSettings) {
    const { clock, queueDeadlineMs } = settings;
    this.settings = settings;
    this.lanes = new WaitLanes(clock, queueDeadlineMs, (late) => this.refuseAll(late, 'deadline'));
  }

  get size(): number {
    return this.lanes.size;
  }

  /** How many wait for the same slots as a call of this priority. */
  sizeFor(priority: Priority): number {
    return this.lanes.sizeFor(priority);
  }

  /** Resolves when the call is let in or denied; denied at once without room. */
  enter(call: CallOptions): Promise<Slot | Denied> | Denied {
    const { priority = 'normal', signal, deadlineMs } = call;
    if (!this.makeRoom(priority)) return shed(this.settings, 'queue-full', priority);
    return new Promise((resolve) => {
      const { clock, queueDeadlineMs } = this.settings;
      const since = clock.now();
      const until = since + Math.min(queueDeadlineMs, deadlineMs ?? queueDeadlineMs);
      const waiter = new Waiter(priority, since, until, signal, resolve);
      this.lanes.push(waiter);
      if (signal !== undefined || deadlineMs !== undefined) this.watchCaller(waiter, call);
    });
  }

  /**
   * Takes out who comes next of those for whom there is a slot. The taker lets it in. Whose time is up is denied instead: where
   * the process was busy their timers are late, and nobody waits for their calls any more.
   */
  takeFirst(hasSlotFor: (priority: Priority) => boolean, now: number): Waiter | null {
    for (;;) {
      const healthCheck = hasSlotFor('health') ? this.lanes.firstHealthCheck : null;
      const first = healthCheck ?? (hasSlotFor('normal') ? this.lanes.first : null);
      if (first === null) return null;
      if (now < first.until) {
        this.lanes.remove(first);
        return first;
      }
      this.dismiss(first, 'deadline');
    }
  }

  private makeRoom(priority: Priority): boolean {
    if (this.lanes.sizeFor(priority) < this.settings.queue) return true;
    const last = this.lanes.lastBelow(priority);
    if (last !== null) this.dismiss(last, 'displaced');
    return last !== null;
  }

  /** The caller may go away, or have less time than the queue gives. */
  private watchCaller(waiter: Waiter, { signal, deadlineMs }: CallOptions): void {
    const { clock, queueDeadlineMs } = this.settings;
    const leave = () => this.dismiss(waiter, 'aborted');
    signal?.addEventListener('abort', leave, { once: true });
    const isShort = deadlineMs !== undefined && deadlineMs < queueDeadlineMs;
    const stop = isShort ? clock.after(deadlineMs, () => this.dismiss(waiter, 'deadline')) : null;
    waiter.onLeave(() => {
      stop?.();
      signal?.removeEventListener('abort', leave);
    });
  }

  private dismiss(waiter: Waiter, reason: DenialReason): void {
    this.lanes.remove(waiter);
    this.refuseAll([waiter], reason);
  }

  /** All are answered before any is told of, for the case that the listener throws. */
  private refuseAll(waiters: readonly Waiter[], reason: DenialReason): void {
    const now = this.settings.clock.now();
    const waitedMs = ({ since }: Waiter) => Math.round(now - since);
    for (const waiter of waiters) {
      waiter.leave(refuse(this.settings, reason, waiter.priority, waitedMs(waiter)));
    }
    for (const waiter of waiters) tellShed(this.settings, reason, waiter.priority, waitedMs(waiter));
  }
}
