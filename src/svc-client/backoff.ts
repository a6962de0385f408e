/** Exponential backoff with full jitter: a wait anywhere between 0 and the step's ceiling, so that callers that failed
 * together do not come back together. */
export interface BackoffPolicy {
  /** Ceiling of the first wait, in milliseconds. Default 50. */
  readonly firstMs: number;
  /** Ceiling of every wait, in milliseconds. Default 2 000. */
  readonly maxMs: number;
}

/** The wait before retry `retry` (1, 2, …); `random` gives a number in [0, 1). */
export function backoffMs(policy: BackoffPolicy, retry: number, random: () => number): number {
  const ceiling = Math.min(policy.maxMs, policy.firstMs * 2 ** Math.min(retry - 1, 30));
  return random() * ceiling;
}
