/**
 * The retry budget of one request over its whole call tree, without shared state.
 *
 * The budget is a number of coins. A coin is at every moment in exactly one place: spent, held by one service, or
 * lent to one call in flight. A caller lends part of what it holds with each call (in the signed passport) and
 * counts it as gone; the callee says in its signed receipt what it did not use, and only that comes back. No
 * receipt, or one that does not verify: the loan is lost. So parallel children never share a coin, and whatever is
 * lost, forged or cut off, the tree can only make fewer retries than its budget, never more.
 */
export interface RetryLedger {
  /** Retries this service may still make or lend. */
  readonly left: number;
  /** True once the receipt went out: what was left has been handed back to the caller and is no longer ours. */
  readonly settled: boolean;
}

/** A ledger that holds `retries` coins. */
export function openLedger(retries: number): RetryLedger {
  return { left: retries, settled: false };
}

/** Takes one coin for a retry; null when none is left. */
export function spendRetry(ledger: RetryLedger): RetryLedger | null {
  return ledger.left > 0 ? { ...ledger, left: ledger.left - 1 } : null;
}

/** What a call is lent, and the ledger without it. */
export interface Loan {
  readonly ledger: RetryLedger;
  readonly lent: number;
}

/**
 * Keeps half, and at least one: the caller alone sees a callee that does not answer at all. With three coins a chain
 * of three services has one each; the callee next to a failure can always try again first.
 */
export function lendRetries(ledger: RetryLedger): Loan {
  if (ledger.left < 2) return { ledger, lent: 0 };
  const kept = Math.floor(ledger.left / 2);
  return { ledger: { ...ledger, left: kept }, lent: ledger.left - kept };
}

/** Takes back what a callee did not use. After settlement it is too late: the coins would exist twice. */
export function takeBack(ledger: RetryLedger, lent: number, unused: number): RetryLedger {
  if (ledger.settled || unused <= 0) return ledger;
  return { ...ledger, left: ledger.left + Math.min(unused, lent) };
}

/** Hands all that is left to the caller, once. Loans that are still out count as spent. */
export function settleLedger(ledger: RetryLedger): { readonly ledger: RetryLedger; readonly unused: number } {
  return { ledger: { left: 0, settled: true }, unused: ledger.left };
}
