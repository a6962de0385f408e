/** Whom an attempt is counted on. */
export interface AttemptSubject {
  /** Normalised, each once. Mostly one; none where only the address is known. */
  readonly identifiers: readonly string[];
  /** The canonical text of an address; null where it is not known. */
  readonly ip: string | null;
}

/** A counter right after an attempt. */
export interface Tally {
  /** Attempts in the present window, this one included. */
  readonly attempts: number;
  /** Until the window ends. */
  readonly remainingMs: number;
  /** By which the counters know the window again. */
  readonly window: number;
}

/** All counters of an attempt: those of its identifiers in their order, and that of its address. */
export interface AttemptTally {
  readonly identifiers: readonly Tally[];
  readonly ip: Tally | null;
}

/** The numbers of the counters. */
export interface CounterRules {
  /** From the first attempt at an identifier until its count starts anew. */
  readonly identifierWindowMs: number;
  readonly ipWindowMs: number;
  /** What a success takes from the count of its address: what its identifier has added to it, or all. */
  readonly resetIp: 'own' | 'all';
}

/**
 * Counts attempts in fixed windows, which begin with the first attempt and are never prolonged. Each counter changes
 * atomically; all counters of an attempt take one round trip. Failures reject with a `Fault` of code `STORE_*`.
 */
export interface AttemptCounters {
  /** Counts an attempt on everything it concerns. */
  count(subject: AttemptSubject): Promise<AttemptTally>;
  /** Takes back an attempt that never got through; what belongs to a later window stays. */
  takeBack(subject: AttemptSubject, tally: AttemptTally): Promise<void>;
  /** A success: clears the identifier, and takes from the address what the rules say. */
  reset(identifier: string | null, ip: string | null): Promise<void>;
  /** A light proof of life; rejects when nothing can be counted. */
  ping(): Promise<void>;
}

/**
 * Whose share of the address an attempt is. An attempt that names several accounts is nobody's: otherwise a caller could
 * name its own beside each it guesses at, and take everything back by one success.
 */
export function sharerOf({ identifiers }: AttemptSubject): string | null {
  return identifiers.length === 1 ? (identifiers[0] ?? null) : null;
}
