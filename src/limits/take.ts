import { type Bucket, backlog, bucketOwing, charge, type Quota } from '../core/bucket.ts';
import type { ClientRecord } from '../core/client-state.ts';
import { escalate } from '../core/ladder.ts';
import type { Key, Records } from '../core/records.ts';
import { hardBlocked, isHardBlocked, remembered } from '../core/standing.ts';
import { admit, noteAgent } from './agent-admission.ts';
import { type Allowance, milliCost, scaledQuota } from './allowance.ts';
import { forgetAsked, noteAsked } from './asked-window.ts';
import type { ClientKey } from './client-keys.ts';
import { clientRecord, emptyClient, ladder, writeClient } from './client-record.ts';

/** Why a call is refused: its bucket is empty, it was one too many and brought a block, or a block is running. */
export type LimitRule = 'limit' | 'auto-block' | 'blocked';

export interface Refusal {
  readonly rule: LimitRule;
  /** Store time in ms from which the same call would not be refused for this reason. */
  readonly until: number;
}

/** What one call asks for. */
export interface Ask {
  readonly client: ClientKey;
  readonly allowance: Allowance;
  /** Of the refill rate, 0.1 to 1. */
  readonly scale: number;
  readonly cost: number;
  /** Whether blocks are only noted: the call is charged as if there was none. */
  readonly blocksInShadow: boolean;
  /** The only rule to judge by, where the other one has a record of its own. Default both. A running block counts with either. */
  readonly only?: Exclude<LimitRule, 'blocked'>;
}

/** What became of it. */
export interface Taken {
  readonly t: number;
  /** Where it was charged. */
  readonly key: Key<ClientRecord>;
  /** Thousandths of a unit that were taken; 0 when refused. */
  readonly takenMilli: number;
  readonly refusal: Refusal | null;
  /** The block that would have refused it, where blocks are in shadow. */
  readonly shadowBlock: Refusal | null;
  /** Whole units of cost that are left. */
  readonly remaining: number;
  /** Store time in ms at which one more unit is there; not after `t` when the bucket is full. */
  readonly moreAt: number;
}

const firstBlockLevel = 2;

/**
 * Takes the cost of a call from its client's bucket. A refused call takes nothing, but counts as asked for; while a
 * block runs nothing is written, so that nothing extends it. A record that strangers share is charged and never blocked.
 */
export function take(records: Records, ask: Ask, t: number): Taken {
  const { client, allowance, blocksInShadow } = ask;
  const { key, record: stored, isNew, isShared } = admit(records, client, t);
  const now = Math.max(t, stored?.at ?? t);
  const quota = scaledQuota(allowance, ask.scale);
  // A call that costs more than the bucket holds asks for all of it.
  const milli = Math.min(ask.cost * milliCost, quota.capacity);
  if (stored !== undefined && !blocksInShadow && isHardBlocked(stored.standing, now)) {
    return refusedByBlock(t, key, { rule: 'blocked', until: stored.standing.hardUntil });
  }
  const record = open(records, key, stored, quota, now);
  const block = isShared || ask.only === 'limit' ? null : judgeFlood(record, allowance, milli, now);
  if (isNew) noteAgent(records, client, t);
  const blocks = block !== null && !blocksInShadow;
  const taken = blocks
    ? refusedByBlock(t, key, block)
    : chargeClient(record, quota, ask.only === 'auto-block' ? 0 : milli, { t, now, key, block });
  writeClient(records, key, record, t);
  return taken;
}

/** The record to work on, the store's own where it lends that, with its bucket counted in the present refill. */
function open(
  records: Records,
  key: Key<ClientRecord>,
  stored: ClientRecord | undefined,
  quota: Quota,
  now: number,
): ClientRecord {
  if (stored === undefined) return emptyClient(now, quota.limit);
  const bucket = inRefill(stored, quota.limit, now);
  const own = records.own?.(key);
  if (own === undefined) return clientRecord(now, stored.standing, bucket, quota.limit, stored);
  own.at = now;
  own.limit = quota.limit;
  own.tatMs = bucket.tatMs;
  own.tatUnits = bucket.tatUnits;
  return own;
}

/**
 * What is owed stays owed when the refill changes. The time since the last call is paid back at the lower of the two:
 * the refill may hang on the path, and else a call without pressure after each one with it would buy the full rate.
 */
export function inRefill(
  record: Pick<ClientRecord, 'tatMs' | 'tatUnits' | 'limit' | 'at'>,
  to: number,
  now: number,
): Bucket {
  const { limit: from, at } = record;
  if (from === to) return record;
  const changedAt = to < from ? at : now;
  return bucketOwing(backlog(record, from, changedAt), to, changedAt);
}

/** Counts what is asked for; blocks the client when that is far above its rate. */
function judgeFlood(record: ClientRecord, allowance: Allowance, milli: number, now: number): Refusal | null {
  const { standing } = record;
  if (isHardBlocked(standing, now)) return { rule: 'blocked', until: standing.hardUntil };
  if (!noteAsked(record, milli, now, allowance.blockAbove * milliCost)) return null;
  const level = escalate(firstBlockLevel, remembered(standing, now, ladder), ladder.maxLevel);
  record.standing = hardBlocked(standing, level, now, ladder);
  forgetAsked(record);
  return { rule: 'auto-block', until: record.standing.hardUntil };
}

/** What becomes of a call of a blocked client. */
export function refusedByBlock(t: number, key: Key<ClientRecord>, refusal: Refusal): Taken {
  return { t, key, takenMilli: 0, refusal, shadowBlock: null, remaining: 0, moreAt: refusal.until };
}

interface Place {
  readonly t: number;
  readonly now: number;
  readonly key: Key<ClientRecord>;
  readonly block: Refusal | null;
}

/** A call that costs nothing is never refused here. */
function chargeClient(
  record: ClientRecord,
  quota: Quota,
  milli: number,
  { t, now, key, block }: Place,
): Taken {
  const charged = milli === 0 ? null : charge(record, quota, milli, now);
  if (charged?.conforms) {
    record.tatMs = charged.bucket.tatMs;
    record.tatUnits = charged.bucket.tatUnits;
  }
  const owed = backlog(record, quota.limit, now);
  const remaining = remainingOf(owed, quota);
  return {
    t,
    key,
    takenMilli: charged?.conforms ? milli : 0,
    refusal: charged?.conforms === false ? { rule: 'limit', until: charged.until } : null,
    shadowBlock: block,
    remaining,
    moreAt: moreAt(remaining, owed, quota, now),
  };
}

/** Whole units of cost that are left. */
export function remainingOf(owed: number, { capacity, periodMs }: Quota): number {
  return Math.max(0, Math.floor((capacity * periodMs - owed) / (milliCost * periodMs)));
}

/** When there is one unit more than what remains: a partly filled last unit never is, so then when all is there. */
export function moreAt(
  remaining: number,
  owed: number,
  { limit, periodMs, capacity }: Quota,
  now: number,
): number {
  const stillOwed = capacity * periodMs - (remaining + 1) * milliCost * periodMs;
  return now + Math.ceil((owed - Math.max(0, stillOwed)) / limit);
}
