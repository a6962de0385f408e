import type { RequestCall, Scenarios } from '../abuse/index.ts';
import type { Limiter, Verdict } from '../limits/index.ts';

/** What a call that a proxy asks about is judged by. */
export interface VisitParts {
  readonly limiter: Limiter;
  /** Null where they are off. */
  readonly scenarios: () => Scenarios | null;
  /** Told when scenarios could not see a call; nobody waits for that. */
  readonly onFault: (error: unknown) => void;
  /**
   * Where it is given, a caller that scenarios slow down is held back too, until this is aborted; it is asked for only
   * then. Leave it out for a proxy that does not wait long: it would let the call pass or fail it, and a caller could
   * tell by either that it is being slowed down.
   */
  readonly heldUntil?: () => AbortSignal;
}

/**
 * Judges a call on behalf of a proxy that waits for the verdict. What scenarios hold against the caller slows its refill
 * or refuses it. They see the call, but not how it ended: those that go by the answer stay blind here.
 */
export async function judgeVisit(call: RequestCall, parts: VisitParts): Promise<Verdict> {
  const { limiter, scenarios, onFault, heldUntil } = parts;
  const watching = scenarios();
  if (watching === null) return limiter.take(call);
  const standing = await watching.standing(call);
  const verdict = await limiter.take({ ...call, standing });
  const isSkipped = verdict.skipped !== null;
  const isHeld = verdict.allowed && !isSkipped && standing.delayMs > 0;
  if (heldUntil !== undefined && isHeld) await watching.delay(standing, heldUntil());
  if (verdict.rule !== 'blocked' && !isSkipped) {
    watching.observe({ ...call, status: verdict.allowed ? null : 429 }).catch(onFault);
  }
  return verdict;
}
