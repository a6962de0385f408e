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

/** What only few calls have: a caller that may go away, a wait behind them, a slot kept for health checks, a signal. */
export interface Circumstances {
  readonly caller: AbortSignal | undefined;
  readonly waitedMs: number;
  readonly reserved: boolean;
  signal: AbortSignal | null;
}

/**
 * One running call. Knows its keeper until it is back, so it cannot be given back twice. One is made for each call: it has
 * few fields, and plain ones, because those are the cheapest to make.
 */
export class Slot implements Admitted {
  private keeper: SlotKeeper | null;
  /** When the call began, as {@link RunningCalls} counts. */
  readonly step: number;
  /** Null unless the limit learns from the call. */
  readonly timing: Timing | null;
  private circumstances: Circumstances | null;

  constructor(keeper: SlotKeeper, step: number, timing: Timing | null, circumstances: Circumstances | null) {
    this.keeper = keeper;
    this.step = step;
    this.timing = timing;
    this.circumstances = circumstances;
  }

  get admitted(): true {
    return true;
  }

  get waitedMs(): number {
    return this.circumstances?.waitedMs ?? 0;
  }

  /** Whether it is one of those kept for health checks. */
  get reserved(): boolean {
    return this.circumstances?.reserved ?? false;
  }

  /** Whether its caller has gone away. */
  get isAbandoned(): boolean {
    return this.circumstances?.caller?.aborted ?? false;
  }

  get running(): boolean {
    return this.keeper?.isRunning(this) ?? false;
  }

  get release(): (outcome?: CallOutcome) => boolean {
    return (outcome = 'done') => this.giveBack(outcome);
  }

  get signal(): AbortSignal {
    this.circumstances ??= circumstancesOf(undefined, 0, false);
    this.circumstances.signal ??= this.mergedSignal(this.circumstances.caller);
    return this.circumstances.signal;
  }

  /** Whether somebody has asked for the signal. */
  get hasSignal(): boolean {
    return this.circumstances !== null && this.circumstances.signal !== null;
  }

  giveBack(outcome: CallOutcome): boolean {
    const { keeper } = this;
    if (keeper === null) return false;
    this.keeper = null;
    return keeper.takeBack(this, outcome);
  }

  private mergedSignal(caller: AbortSignal | undefined): AbortSignal {
    const overrun = this.keeper?.overrunOf(this) ?? AbortSignal.abort();
    return caller === undefined ? overrun : AbortSignal.any([caller, overrun]);
  }
}

export function circumstancesOf(
  caller: AbortSignal | undefined,
  waitedMs: number,
  reserved: boolean,
): Circumstances {
  return { caller, waitedMs, reserved, signal: null };
}
