import { type Bucket, charge, fullBucket, type Quota } from './bucket.ts';
import type { Context } from './context.ts';
import { SteppedCourse } from './course.ts';
import type { Reason } from './decision.ts';
import { MINUTE_MS } from './duration.ts';
import { listOf } from './list.ts';
import {
  type NetworkDraft,
  networkBlocks,
  networkGroupKeys,
  noteSights,
  openNetwork,
  writeNetwork,
} from './network-draft.ts';
import { type Answer, answer, type Course, noSteps, type Operation, type Step } from './operation.ts';
import type { RatePolicy } from './policy.ts';
import type { Draft, Key, Records } from './records.ts';
import type { Request } from './request.ts';
import { RequestOperation } from './request-operation.ts';
import { type Judged, Ruling } from './ruling.ts';
import type { Holder } from './standing.ts';

/** §11 consume: each call is charged to its network, device and agent, each on its own. */
export function consume(request: Request<RatePolicy>, cost: number): Operation {
  return new RequestOperation(request, 'fresh', (same, context) => followConsumption(same, context, cost));
}

function followConsumption(request: Request<RatePolicy>, context: Context, cost: number): Course {
  const isStopped = context.hard.length > 0;
  const steps = isStopped ? noSteps : listOf(new ConsumptionStep(request, context, cost));
  return new SteppedCourse(context, request.policy, steps);
}

class ConsumptionStep implements Step {
  readonly keys: readonly Key[];
  readonly #request: Request<RatePolicy>;
  readonly #context: Context;
  readonly #cost: number;

  constructor(request: Request<RatePolicy>, context: Context, cost: number) {
    this.keys = networkGroupKeys(request, context);
    this.#request = request;
    this.#context = context;
    this.#cost = cost;
  }

  run(records: Records): Answer {
    const request = this.#request;
    const context = this.#context;
    const draft = openNetwork(records, request, context);
    const blocked = networkBlocks(draft, request, context);
    if (blocked.length > 0) return answer(blocked);
    noteSights(draft, context, request.policy);
    const reasons = chargeAll(draft, request, context, this.#cost);
    writeNetwork(records, draft, request, context.t);
    return answer(reasons);
  }
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
