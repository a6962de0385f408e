import type { Reason } from '../core/decision.ts';
import type { DecisionEvent } from '../guard/events.ts';

const none: readonly Reason[] = [];

/** The HARD blocks that an operation has set: none that was running before, and none that the store's failure has brought. */
export function placedBlocks({ op, decision }: DecisionEvent): readonly Reason[] {
  if (decision.outcome !== 'HARD_BLOCK' || op === 'check') return none;
  return decision.reasons.filter(
    ({ outcome, rule }) =>
      outcome === 'HARD_BLOCK' && rule !== 'blocked' && rule !== 'degraded' && rule !== 'store',
  );
}
