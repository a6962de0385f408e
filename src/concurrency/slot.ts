import type { Admitted, CallOutcome } from './admission.ts';

/** Where slots come from and go back to. */
export interface SlotKeeper {
  /** False if the slot was taken back before. */
  takeBack(slot: Slot, outcome: CallOutcome): boolean;
  isRunning(slot: Slot): boolean;
  /** A signal that aborts when the slot is taken back; the slot asks once. */
  overrunOf(slot: Slot): AbortSignal;
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
  /** When the call began, if the limit learns from it; else null, which spares the others a boxed number. */
  readonly startedAt: number | null;
  /** How many calls it stands for when the limit learns from it. */
  readonly calls: number;
  /** When the call began, as {@link RunningCalls} counts. */
  readonly step: number;

  constructor(
    keeper: SlotKeeper,
    caller: AbortSignal | undefined,
    waitedMs: number,
    reserved: boolean,
    startedAt: number | null,
    calls: number,
    step: number,
  ) {
    this.keeper = keeper;
    this.caller = caller;
    this.waitedMs = waitedMs;
    this.reserved = reserved;
    this.startedAt = startedAt;
    this.calls = calls;
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

  giveBack(outcome: CallOutcome): boolean {
    const { keeper } = this;
    if (keeper === null) return false;
    this.keeper = null;
    return keeper.takeBack(this, outcome);
  }
}
