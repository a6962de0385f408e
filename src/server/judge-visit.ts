import type { Scenarios } from '../abuse/index.ts';
import type { Call, Limiter, Verdict } from '../limits/index.ts';

/** What a call that a proxy asks about is judged by. */
export interface VisitParts {
  readonly limiter: Limiter;
  /** Null where they are off. */
  readonly scenarios: () => Scenarios | null;
  /** Told when scenarios could not see a call; nobody waits for that. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Judges a call on behalf of a proxy that waits for the verdict with a short patience of its own. What scenarios hold
 * against the caller slows its refill or refuses it; it is not held back, for a proxy that has lost its patience lets the
 * call go on, or fails it, and either tells. Scenarios see the call, but not how it ended.
 */
export async function judgeVisit(call: Call, { limiter, scenarios, onFault }: VisitParts): Promise<Verdict> {
  const watching = scenarios();
  if (watching === null) return limiter.take(call);
  const standing = await watching.standing(call);
  const verdict = await limiter.take({ ...call, standing });
  if (verdict.rule !== 'blocked' && verdict.skipped === null) {
    watching.observe({ ...call, status: verdict.allowed ? null : 429 }).catch(onFault);
  }
  return verdict;
}
