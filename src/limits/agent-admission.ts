import type { ClientRecord } from '../core/client-state.ts';
import type { Key, Records } from '../core/records.ts';
import { timesWithin } from '../core/times.ts';
import type { ClientKey } from './client-keys.ts';
import { readClient, sightMs } from './client-record.ts';

/** Agents of one network that get a bucket of their own, as the engine contract admits them (§6). */
const mostAgents = 50;

/** Where the client is counted: under its own agent, or, once its network has shown too many, under `other/0`. */
export interface Admission {
  readonly key: Key<ClientRecord>;
  readonly record: ClientRecord | undefined;
  /** Whether the agent is new to its network and has to be noted there. */
  readonly isNew: boolean;
  /** Whether strangers are counted there too, so that nobody is to be blocked for what the record says. */
  readonly isShared: boolean;
}

/** A client that has a record keeps it, so that nothing routes around a block. */
export function admit(records: Records, client: ClientKey, t: number): Admission {
  const { crowd } = client;
  const record = readClient(records, client, t);
  const isShared = records.isShared?.(client) ?? false;
  if (record !== undefined || crowd === null) return { key: client, record, isNew: false, isShared };
  const seen = timesWithin(records.get(crowd.network)?.agentsSeenAt ?? [], t, sightMs);
  if (seen.length < mostAgents) return { key: client, record, isNew: true, isShared };
  // A count that is shared with strangers says nothing of this network: it is limited as one client, but nobody is blocked.
  const isCrowded = records.isShared?.(crowd.network) || records.isShared?.(crowd.other);
  const other = readClient(records, crowd.other, t);
  return { key: crowd.other, record: other, isNew: false, isShared: isCrowded ?? false };
}

/** Notes the first sight of an agent. */
export function noteAgent(records: Records, { crowd }: ClientKey, t: number): void {
  if (crowd === null) return;
  const seen = timesWithin(records.get(crowd.network)?.agentsSeenAt ?? [], t, sightMs);
  records.put(
    crowd.network,
    { at: t, agentsSeenAt: [...seen, t] },
    { keepMs: sightMs, softMs: 0, hardMs: 0 },
  );
}
