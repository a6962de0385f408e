import { assertNumber, assertWhole } from '../core/amounts.ts';
import { checkedNote, type OperatorNote } from '../operators/operator-note.ts';
import { checkedPinOrder, type PinOrder } from '../operators/pin-order.ts';
import type { Admission, Admitted, CallOptions, CallOutcome, Denied, Priority } from './admission.ts';
import { checkCall } from './call-check.ts';
import type { Cap, CapStatus, Ran } from './cap.ts';
import { type CapOptions, type CapSettings, completeCapOptions, LARGEST_LIMIT } from './cap-options.ts';
import { holdLimit } from './limit-holding.ts';
import { runInSlot } from './run-in-slot.ts';
import { RunningCalls } from './running-calls.ts';
import { shed, tellShed } from './shedding.ts';
import { type Circumstances, circumstancesOf, Slot, type SlotKeeper, type Timing } from './slot.ts';
import { WaitingRoom } from './waiting-room.ts';

/**
 * Makes a cap.
 *
 * @throws Fault `CONFIG_INVALID` when an option is unknown, of the wrong type or out of range, or the limit another cap's.
 */
export function createCap(options: CapOptions): Cap {
  return capOf(completeCapOptions(options));
}

/** The same with options that have been checked. */
export function capOf(settings: CapSettings): Cap {
  holdLimit(settings.limit);
  return new SlotCap(settings);
}

type Learned = Exclude<CallOutcome, 'failed'>;

const anyCall: CallOptions = Object.freeze({});

/** The enforcement: hands out slots and takes them back. How many there are, the limit says. */
class SlotCap implements Cap, SlotKeeper {
  private readonly settings: CapSettings;
  private readonly room: WaitingRoom;
  private readonly calls: RunningCalls;
  private readonly healthChecks: RunningCalls;
  /** Of the running calls that asked for a signal. */
  private readonly overruns = new Map<Slot, AbortController>();
  private readonly hasSlotFor = (priority: Priority): boolean =>
    priority === 'health'
      ? this.healthChecks.count < this.settings.healthReserve
      : this.calls.count < this.limit;
  /** How many of the next calls are not timed, because one before them stands for them. */
  private untimed = 0;
  private pinned: number | null = null;
  private cancelPin: (() => void) | null = null;

  constructor(settings: CapSettings) {
    const { clock, maxRunMs, learnsFromHandler } = settings;
    this.settings = settings;
    this.room = new WaitingRoom(settings);
    this.calls = new RunningCalls(clock, maxRunMs, (calls) => this.giveUp(calls, learnsFromHandler));
    this.healthChecks = new RunningCalls(clock, maxRunMs, (calls) => this.giveUp(calls, false));
  }

  get route(): string {
    return this.settings.route;
  }

  get status(): CapStatus {
    return {
      limit: this.limit,
      running: this.calls.count,
      healthChecks: this.healthChecks.count,
      waiting: this.room.size,
    };
  }

  get pressure(): number {
    return this.settings.meter.read(this.settings.clock.now());
  }

  private get limit(): number {
    return this.pinned ?? this.settings.limit.current;
  }

  admit(call: CallOptions = anyCall): Promise<Admission> {
    try {
      return Promise.resolve(this.decide(call) ?? this.room.enter(call));
    } catch (fault) {
      return Promise.reject(fault);
    }
  }

  tryAdmit(call: CallOptions = anyCall): Admission {
    return this.decide(call) ?? shed(this.settings, 'queue-full', call.priority ?? 'normal');
  }

  run<T>(work: (admitted: Admitted) => T | Promise<T>, call?: CallOptions): Promise<Ran<T>> {
    const isFree = call === undefined && this.room.size === 0 && this.calls.count < this.limit;
    return isFree ? runInSlot(this.grantUsual(null), work) : this.runLater(work, call);
  }

  private async runLater<T>(
    work: (admitted: Admitted) => T | Promise<T>,
    call: CallOptions = anyCall,
  ): Promise<Ran<T>> {
    const admission = this.decide(call) ?? (await this.room.enter(call));
    return admission.admitted ? runInSlot(admission, work) : admission;
  }

  observe(latencyMs: number): void {
    assertNumber('INPUT_INVALID', 'latencyMs', latencyMs, 0);
    this.learn(latencyMs, this.calls.count, this.settings.clock.now(), 1);
  }

  async measure<T>(work: () => T | Promise<T>): Promise<T> {
    const startedAt = this.settings.clock.now();
    let outcome: Learned = 'errored';
    try {
      const value = await work();
      outcome = 'done';
      return value;
    } finally {
      const now = this.settings.clock.now();
      this.learn(now - startedAt, this.calls.count, now, 1, outcome);
    }
  }

  pin(limit: number, order: PinOrder): void {
    assertWhole('CONFIG_INVALID', 'limit', limit, 1, LARGEST_LIMIT);
    const { by, why, forMs } = checkedPinOrder(order);
    const { clock, route, onEvent } = this.settings;
    this.cancelPin?.();
    this.cancelPin = clock.after(forMs, () => this.endPin());
    this.pinned = limit;
    this.letIn();
    onEvent({ type: 'pinned', route, limit, by, why, forMs });
  }

  unpin(note: OperatorNote): void {
    const { by, why } = checkedNote(note);
    const { route, onEvent } = this.settings;
    if (this.pinned === null) return;
    this.endPin();
    onEvent({ type: 'unpinned', route, by, why });
  }

  private endPin(): void {
    this.cancelPin?.();
    this.cancelPin = null;
    this.pinned = null;
    this.letIn();
  }

  isRunning(slot: Slot): boolean {
    return this.callsLike(slot).counts(slot.step);
  }

  overrunOf(slot: Slot): AbortSignal {
    const overrun = new AbortController();
    // A cap that only looks ends nobody's work.
    if (this.settings.shadow) return overrun.signal;
    if (this.isRunning(slot)) this.overruns.set(slot, overrun);
    else overrun.abort();
    return overrun.signal;
  }

  takeBack(slot: Slot, outcome: CallOutcome): boolean {
    const running = this.calls.count;
    if (!this.callsLike(slot).end(slot.step)) return false;
    if (slot.hasSignal) this.overruns.delete(slot);
    const { timing } = slot;
    if (timing !== null && outcome !== 'failed') this.learnFrom(timing, running, outcome);
    else this.letIn();
    return true;
  }

  private callsLike(slot: Slot): RunningCalls {
    return slot.reserved ? this.healthChecks : this.calls;
  }

  /** Apart from its caller, as {@link startTiming} is: few calls come here, and what all go through stays small. */
  private learnFrom(timing: Timing, running: number, outcome: Learned): void {
    const now = this.settings.clock.now();
    this.learn(now - timing.startedAt, running, now, timing.calls, outcome);
  }

  private learn(
    latencyMs: number,
    running: number,
    now: number,
    calls: number,
    outcome: Learned = 'done',
  ): void {
    const { limit, maxRunMs, route, onEvent } = this.settings;
    const was = limit.current;
    // Nothing takes longer than a call may run: what is told so is a mistake, and a limit waits for calls as long to leave.
    const ms = Math.min(latencyMs, maxRunMs);
    if (outcome === 'done') limit.observe(ms, running, now, calls);
    else limit.observeError?.(ms, running, now, calls);
    this.letIn();
    if (limit.current !== was) onEvent({ type: 'limit-changed', route, limit: limit.current, was });
  }

  /** Null: the call has to wait. */
  private decide(call: CallOptions): Slot | Denied | null {
    checkCall(call);
    const { priority = 'normal', signal, deadlineMs } = call;
    if (this.settings.shadow) return this.passInShadow(priority, signal);
    if (signal?.aborted) return shed(this.settings, 'aborted', priority);
    if (deadlineMs !== undefined && deadlineMs <= 0) return shed(this.settings, 'deadline', priority);
    return this.isFree(priority) ? this.grant(priority, signal, 0) : null;
  }

  private isFree(priority: Priority): boolean {
    return this.room.sizeFor(priority) === 0 && this.hasSlotFor(priority);
  }

  private grant(priority: Priority, caller: AbortSignal | undefined, waitedMs: number): Slot {
    const reserved = priority === 'health';
    const isPlain = !reserved && caller === undefined && waitedMs === 0;
    const circumstances = isPlain ? null : circumstancesOf(caller, waitedMs, reserved);
    return reserved
      ? new Slot(this, this.healthChecks.begin(), null, circumstances)
      : this.grantUsual(circumstances);
  }

  private grantUsual(circumstances: Circumstances | null): Slot {
    const { limit, meter, shadow, learnsFromHandler } = this.settings;
    if (!shadow) meter.count(limit.strain);
    const timing = learnsFromHandler && !this.isStoodFor() ? this.startTiming() : null;
    return new Slot(this, this.calls.begin(), timing, circumstances);
  }

  /** Whether an earlier call stands for the one that begins. */
  private isStoodFor(): boolean {
    if (this.untimed === 0) return false;
    this.untimed -= 1;
    return true;
  }

  private startTiming(): Timing {
    const { limit, clock } = this.settings;
    const calls = limit.sample === undefined ? 1 : limit.sample();
    this.untimed = calls - 1;
    return { startedAt: clock.now(), calls };
  }

  /** Calls over the limit stand for those that would wait; calls over the queue's bound would be shed. */
  private passInShadow(priority: Priority, signal: AbortSignal | undefined): Slot {
    const { healthReserve, queue } = this.settings;
    const isHealthCheck = priority === 'health';
    const over = isHealthCheck ? this.healthChecks.count - healthReserve : this.calls.count - this.limit;
    const slot = this.grant(priority, signal, 0);
    if (over >= queue) tellShed(this.settings, 'queue-full', priority, 0);
    return slot;
  }

  /** Fills free slots from the queue. */
  private letIn(): void {
    while (this.room.size > 0) {
      const now = this.settings.clock.now();
      const waiter = this.room.takeFirst(this.hasSlotFor, now);
      if (waiter === null) return;
      const waitedMs = Math.round(now - waiter.since);
      waiter.leave(this.grant(waiter.priority, waiter.signal, waitedMs));
    }
  }

  /** Calls that overran are over for the cap; what they took is at least the longest run. */
  private giveUp(calls: number, learns: boolean): void {
    const { clock, maxRunMs, route, onEvent } = this.settings;
    const overrun = [...this.overruns].filter(([slot]) => !this.isRunning(slot));
    for (const [slot] of overrun) this.overruns.delete(slot);
    this.letIn();
    for (const [, controller] of overrun) controller.abort();
    for (let i = 0; i < calls; i += 1) onEvent({ type: 'overrun', route, maxRunMs });
    for (let i = 0; learns && i < calls; i += 1) this.learn(maxRunMs, this.calls.count + 1, clock.now(), 1);
  }
}
