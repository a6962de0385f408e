import { noteSights, type Turn, turnOf } from './network.ts';
import { Calls, escalate, type Reason } from './penalties.ts';
import type { Request, Shelves } from './request.ts';

/** Contract section 11: the buckets of `consume`. */

const perMinute = { K1: 600, K3: 300, K2: 120 } as const;

/** Charges the bucket if the cost conforms; otherwise the time when it would. */
function charge({ record, now }: Turn, limit: number, cost: number): number | undefined {
  const next = Math.max(record.tat, now * limit) + cost * 60_000;
  if (next - now * limit > 60_000 * limit) return Math.ceil((next - 60_000 * limit) / limit);
  record.tat = next;
  return undefined;
}

/** What no running block has stopped: every bucket is tested and charged on its own. */
export function consume(request: Request, cost: number, shelves: Shelves): Reason[] {
  const k1 = turnOf(request.keys.k1, request, shelves);
  const k2 = turnOf(request.keys.k2, request, shelves);
  const k3 = noteSights(request, k1, k2, shelves);
  const calls = new Calls();
  if (!request.trusted && charge(k1, perMinute.K1, cost) !== undefined) {
    const level = escalate(k1.record, k1.now, 3, 3);
    calls.hard({ penalty: k1.record, now: k1.now, rule: 'severe', scope: 'K1', level });
  }
  if (k3 !== undefined && charge(k3, perMinute.K3, cost) !== undefined) {
    const onAgent = request.device?.confidence === 'LOW';
    const { record, now } = onAgent ? k2 : k3;
    const level = escalate(record, now, 2, 4);
    calls.hard({ penalty: record, now, rule: 'moderate', scope: onAgent ? 'K2' : 'K3', level });
  }
  const until = charge(k2, perMinute.K2, cost);
  const reasons = calls.settle();
  if (until !== undefined) {
    reasons.push({ rule: 'minor', scope: 'K2', outcome: 'SOFT_BLOCK', level: 1, until });
  }
  for (const turn of [k1, k2]) shelves.nets.write(turn.key, turn.record, request.t);
  return reasons;
}
