import type { Admitted, CallOutcome } from './admission.ts';

/** Where slots come from and go back to. */
export interface SlotKeeper {
  /** False if the slot was taken back before. */
  takeBack(slot: Slot, outcome: CallOutcome): boolean;
  isRunning(slot: Slot): boolean;
  /** A signal that aborts when the slot is taken back; the slot asks once. */
  overrunOf(slot: Slot): AbortSignal;
}

/** What is kept of a call that a limit learns from. */
export interface Timing {
  /** When the call began. */
  readonly startedAt: number;
  /** How many calls it stands for, itself included. */
  readonly calls: number;
}

/**
 * One running call. Knows its keeper until it is back, so it cannot be given back twice. One is made for each call: it has
 * few fields, and plain ones, because those are the cheapest to make.
 */
export class Slot implements Admitted {
  private keeper: SlotKeeper | null;
  private readonly caller: AbortSignal | undefined;
  private merged: AbortSignal | null = null;
  readonly waitedMs: number;
  /** Whether it is one of those kept for health checks. */
  readonly reserved: boolean;
  /** Null unless the limit learns from the call. */
  readonly timing: Timing | null;
  /** When the call began, as {@link RunningCalls} counts. */
  readonly step: number;

  constructor(
    keeper: SlotKeeper,
    caller: AbortSignal | undefined,
    waitedMs: number,
    reserved: boolean,
    timing: Timing | null,
    step: number,
  ) {
    this.keeper = keeper;
    this.caller = caller;
    this.waitedMs = waitedMs;
    this.reserved = reserved;
    this.timing = timing;
    this.step = step;
  }

  get admitted(): true {
    return true;
  }

  get running(): boolean {
    return this.keeper?.isRunning(this) ?? false;
  }

  get release(): (outcome?: CallOutcome) => boolean {
    return (outcome = 'done') => this.giveBack(outcome);
  }

  get signal(): AbortSignal {
    if (this.merged === null) {
      const overrun = this.keeper?.overrunOf(this) ?? AbortSignal.abort();
      this.merged = this.caller === undefined ? overrun : AbortSignal.any([this.caller, overrun]);
    }
    return this.merged;
  }

  /** Whether somebody has asked for the signal. */
  get hasSignal(): boolean {
    return this.merged !== null;
  }

  giveBack(outcome: CallOutcome): boolean {
    const { keeper } = this;
    if (keeper === null) return false;
    this.keeper = null;
    return keeper.takeBack(this, outcome);
  }
}
