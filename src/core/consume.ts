import { type Bucket, charge, fullBucket, type Quota } from './bucket.ts';
import { type Context, lookAround } from './context.ts';
import { conclude, type Reason } from './decision.ts';
import { MINUTE_MS } from './duration.ts';
import {
  type NetworkDraft,
  networkBlocks,
  networkGroupKeys,
  noteSights,
  openNetwork,
  writeNetwork,
} from './network-draft.ts';
import { answer, noSteps, type Operation, type Step } from './operation.ts';
import type { RatePolicy } from './policy.ts';
import type { Draft } from './records.ts';
import type { Request } from './request.ts';
import { type Judged, Ruling } from './ruling.ts';
import type { Holder } from './standing.ts';

/** §11 consume: each call is charged to its network, device and agent, each on its own. */
export function consume(request: Request<RatePolicy>, cost: number): Operation {
  return {
    keys: request.keys.viewed,
    isWarm: false,
    look: (records, t) => {
      const context = lookAround(records, request, t);
      const isStopped = context.hard.length > 0;
      return {
        isStopped,
        steps: isStopped ? noSteps : [consumeStep(request, context, cost)],
        decide: (reasons) => conclude([...context.hard, ...reasons], t, request.policy),
      };
    },
  };
}

function consumeStep(request: Request<RatePolicy>, context: Context, cost: number): Step {
  return {
    keys: networkGroupKeys(request, context),
    run: (records) => {
      const draft = openNetwork(records, request, context);
      const blocked = networkBlocks(draft, request, context);
      if (blocked.length > 0) return answer(blocked);
      noteSights(draft, context, request.policy);
      const reasons = chargeAll(draft, request, context, cost);
      writeNetwork(records, draft, request, context.t);
      return answer(reasons);
    },
  };
}

function chargeAll(
  { network, agent, device }: NetworkDraft,
  { policy, subject }: Request<RatePolicy>,
  { trusted }: Context,
  cost: number,
): readonly Reason[] {
  const { limits } = policy;
  const ruling = new Ruling(policy);
  if (!trusted && overAt(network, limits.severe, cost) !== null) {
    ruling.escalate('severe', network, 3);
  }
  if (device && overAt(device, limits.moderate, cost) !== null) {
    const passive = subject.device?.confidence === 'LOW';
    ruling.escalate('moderate', passive ? agent : device, 2);
  }
  const until = overAt(agent, limits.minor, cost);
  const reasons = ruling.settle();
  return until === null ? reasons : [...reasons, minorReason(until)];
}

/** A key with a bucket of its own. */
interface Charged extends Judged {
  readonly holder: Draft<Holder & { readonly bucket: Bucket }>;
}

const perMinute = (limit: number): Quota => ({ limit, periodMs: MINUTE_MS, capacity: limit });

/** Charges the record's bucket; when it is over, gives the time at which the call would conform. */
function overAt({ holder, now }: Charged, limit: number, cost: number): number | null {
  const charged = charge(holder.bucket, perMinute(limit), cost, now);
  if (!charged.conforms) return charged.until;
  keepBucket(holder, charged.bucket);
  return null;
}

/** In place, where the bucket is the record's own: what is new in an old record keeps the collector busy. */
function keepBucket(holder: Charged['holder'], bucket: Bucket): void {
  if (holder.bucket === fullBucket) {
    holder.bucket = bucket;
  } else {
    holder.bucket.tatMs = bucket.tatMs;
    holder.bucket.tatUnits = bucket.tatUnits;
  }
}

/** The minor limit only slows down: nothing of it is stored. */
const minorReason = (until: number): Reason => ({
  rule: 'minor',
  scope: 'K2',
  outcome: 'SOFT_BLOCK',
  level: 1,
  until,
});
