import type { Records } from '../core/records.ts';
import { isHardBlocked } from '../core/standing.ts';
import { admit } from './agent-admission.ts';
import type { ClientKey } from './client-keys.ts';
import type { Shadows } from './limiter-options.ts';
import { type Ask, refusedByBlock, type Taken, take } from './take.ts';

/**
 * Takes the cost of a call where rules run in shadow. What is enforced is kept under the client's key, what is in
 * shadow under another one: so nothing that was decided in shadow is enforced later, and nothing that is enforced, such
 * as an operator's block, is lost while a rule is in shadow. A block that is enforced refuses whatever is in shadow.
 *
 * @param shadow the client's key for what is in shadow, in the group of its other one
 * @param rules at least one of them is in shadow
 */
export function takeInShadow(
  records: Records,
  ask: Ask,
  shadow: ClientKey,
  rules: Shadows,
  t: number,
): Taken {
  const blocked = refusedByRunning(records, ask.client, t);
  if (blocked !== null) return blocked;
  const shadowAsk: Ask = { ...ask, client: shadow, blocksInShadow: true };
  if (rules.limit && rules.autoBlock) return take(records, shadowAsk, t);
  if (rules.autoBlock) {
    const { shadowBlock } = take(records, { ...shadowAsk, only: 'auto-block' }, t);
    return { ...take(records, { ...ask, only: 'limit' }, t), shadowBlock };
  }
  const judged = take(records, { ...ask, only: 'auto-block' }, t);
  return judged.refusal === null ? take(records, { ...shadowAsk, only: 'limit' }, t) : judged;
}

function refusedByRunning(records: Records, client: ClientKey, t: number): Taken | null {
  const { key, record } = admit(records, client, t);
  if (record === undefined || !isHardBlocked(record.standing, Math.max(t, record.at))) return null;
  return refusedByBlock(t, key, { rule: 'blocked', until: record.standing.hardUntil });
}
