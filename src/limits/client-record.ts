import { type Bucket, fullBucket } from '../core/bucket.ts';
import type { AskedWindow, ClientRecord } from '../core/client-state.ts';
import { MINUTE_MS } from '../core/duration.ts';
import { defaultApi } from '../core/policy.ts';
import type { Key, Records, Retention, StoredRecord } from '../core/records.ts';
import { cleanStanding, type Standing } from '../core/standing.ts';
import { hasAsked, nothingAsked } from './asked-window.ts';

/** When the agents of one network were first seen, so that their number is bounded. */
export interface NetworkSights extends StoredRecord {
  readonly at: number;
  readonly agentsSeenAt: readonly number[];
}

/** A flood is slowed down, not banished: the ladder of the api policy ends at level 4. */
export const ladder = defaultApi.ladder;

/** How long an agent stays known to its network after its last call, and a record is kept that says no more than that. */
export const sightMs = 15 * MINUTE_MS;

export function emptyClient(now: number, limit: number): ClientRecord {
  return clientRecord(now, cleanStanding, fullBucket, limit, nothingAsked);
}

/** All records are made here, so that they have one shape and what reads them stays compiled for it. */
export function clientRecord(
  at: number,
  standing: Standing,
  { tatMs, tatUnits }: Bucket,
  limit: number,
  { asked, askingAt, asking, askedTotal }: Readonly<AskedWindow>,
): ClientRecord {
  return { at, standing, tatMs, tatUnits, limit, asked, askingAt, asking, askedTotal };
}

/** The record, unless it has expired: its bucket is full again and nothing is remembered of it. */
export function readClient(records: Records, key: Key<ClientRecord>, t: number): ClientRecord | undefined {
  const record = records.get(key);
  return record !== undefined && t < expiryOf(record) ? record : undefined;
}

export function writeClient(records: Records, key: Key<ClientRecord>, record: ClientRecord, t: number): void {
  records.put(key, record, clientRetention(record, t));
}

function clientRetention(record: ClientRecord, t: number): Retention {
  const { softUntil, hardUntil } = record.standing;
  const keepMs = expiryOf(record) - t;
  if (keepMs === sightMs && softUntil <= t && hardUntil <= t) return usualRetention;
  return { keepMs, softMs: Math.max(0, softUntil - t), hardMs: Math.max(0, hardUntil - t) };
}

/** Of nearly all clients: one for all, for a store may keep it with the record. */
export const usualRetention: Retention = Object.freeze({ keepMs: sightMs, softMs: 0, hardMs: 0 });

/** From when on the record says the same as none. */
function expiryOf(record: ClientRecord): number {
  return Math.max(record.at + sightMs, paidAndForgottenAt(record));
}

/** From when on the bucket is full and no block is remembered. */
function paidAndForgottenAt({ tatMs, standing }: ClientRecord): number {
  let forgottenAt = standing.hardUntil;
  for (let level = standing.memory; level > 0; level -= 1) forgottenAt += ladder.memoryMs[level - 1] ?? 0;
  return Math.max(tatMs + 1, forgottenAt);
}

/**
 * Whether a client without this record would be treated the same, but that its network knows its agent: who comes back
 * is noted there once more, which wins nobody anything. What a network has seen says something until it expires.
 */
export function clientSaysNothing(record: StoredRecord, t: number): boolean {
  return isClient(record) && t >= paidAndForgottenAt(record) && !hasAsked(record, t);
}

const isClient = (record: StoredRecord): record is ClientRecord => 'tatMs' in record;
