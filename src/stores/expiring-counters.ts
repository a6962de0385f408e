/** A counter to add one to. */
export interface CounterStep {
  /** The counter's name, as it is stored. */
  readonly key: string;
  /** How long the window is that its first hit opens, in milliseconds. */
  readonly windowMs: number;
  /** Whose share of the counter is kept beside it, so that it can be taken back later; null: nobody's. */
  readonly share: string | null;
}

/** A counter after a hit. */
export interface CounterState {
  readonly count: number;
  /** Until the counter's window ends. */
  readonly remainingMs: number;
}

/** A hit that is taken back: the counter as it was right after it. */
export interface CountedHit extends Omit<CounterStep, 'windowMs'> {
  readonly remainingMs: number;
}

/**
 * Counters as other programs keep them: a whole number under a name, which goes away when its time is over. For stores
 * that can count by themselves, and for sharing counters with what does not know our records.
 *
 * Each call is atomic per counter and takes one round trip, whatever the number of counters. Failures reject with a
 * `Fault` of code `STORE_*`.
 */
export interface ExpiringCounters {
  /** Adds one to each. The first hit opens a window, which later ones never prolong. */
  add(steps: readonly CounterStep[]): Promise<readonly CounterState[]>;
  /** Takes hits back, each only while the window it was counted in is open. */
  takeBack(hits: readonly CountedHit[]): Promise<void>;
  /** Takes from a counter what `share` has added in the present window. */
  takeShare(key: string, share: string): Promise<void>;
  /** Removes counters. */
  remove(keys: readonly string[]): Promise<void>;
  /** A light proof of life; rejects when nothing can be counted. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
