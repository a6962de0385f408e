import type { Scope } from '../../../core/decision.ts';
import type { Policy } from '../../../core/policy.ts';
import type { Key, StoredRecord } from '../../../core/records.ts';
import type { Standing } from '../../../core/standing.ts';
import type { AccountDevice, AccountRecord, BookRecord } from '../../../core/state.ts';
import type { Operated, RecordMap } from '../proof-engine.ts';

/** How guarantees look at records. Written apart from the core's own readers, or both could share a mistake. */

/** The record, unless it has expired. */
export function liveRecord<R extends StoredRecord>(
  records: RecordMap,
  key: Key<R> | null,
  t: number,
  { retention }: Policy,
): R | undefined {
  const record = key === null ? undefined : (records.get(key.text) as R | undefined);
  return record !== undefined && t < record.at + retention.recordMs ? record : undefined;
}

/** The account's record before or after the operation. */
export function accountIn(records: RecordMap, { call, t }: Operated): AccountRecord | undefined {
  return liveRecord(records, call.request.keys.account, t, call.policy);
}

/** The request's own device of the account. */
export function ownDeviceIn(records: RecordMap, operated: Operated): AccountDevice | undefined {
  const id = operated.call.request.subject.device?.token.hash;
  return accountIn(records, operated)?.devices.find((device) => device.id === id);
}

/** How well the account knew the device before the operation. */
export function acquaintance({ call, before }: Operated): { known: boolean; trusted: boolean } {
  const { keys, subject } = call.request;
  const book = keys.book === null ? undefined : (before.get(keys.book.text) as BookRecord | undefined);
  const { device } = subject;
  if (device === null || device.confidence === 'LOW') return { known: false, trusted: false };
  const entry = book?.devices.find(({ id }) => id === device.token.hash);
  return { known: entry !== undefined, trusted: entry?.bound === true && device.confidence === 'HIGH' };
}

/** A key of the request: how it stood, and the time inside its record. */
export interface Stood {
  readonly standing: Standing;
  readonly now: number;
}

/** How the request's key of this scope stands in the records. */
export function standingIn(records: RecordMap, operated: Operated, scope: Scope): Stood | null {
  const { t } = operated;
  const record = holderIn(records, operated, scope);
  if (record === undefined) return null;
  const { standing } = scope === 'K5' ? (ownDeviceIn(records, operated) ?? noStanding) : record;
  return standing === null ? null : { standing, now: Math.max(t, record.at) };
}

const noStanding = { standing: null };

function holderIn(records: RecordMap, { call, t }: Operated, scope: Scope) {
  const { keys } = call.request;
  const { account, networkDevice, device, agent, network, p48, p40 } = keys;
  const key = {
    K4: account,
    K5: account,
    K3: networkDevice,
    D: device,
    K2: agent,
    K1: network,
    P48: p48,
    P40: p40,
  };
  return liveRecord<StoredRecord & { readonly standing: Standing }>(records, key[scope], t, call.policy);
}
