import type { ClientRecord } from '../core/client-state.ts';
import { isHardBlocked, isStanding } from '../core/standing.ts';
import type { HeldRecord } from '../stores/store.ts';
import type { ClientKeyspace } from './client-keys.ts';

/** A client's block that runs. */
export interface ClientBlock {
  /** What a lift takes: `limits.<limiter>:<scope>:<hash>[:<hash>]`. Holds hashes only. */
  readonly id: string;
  /** Whom it is on: `U` is a signed-in user, `K2` a network with a user agent. */
  readonly scope: 'U' | 'K2';
  readonly level: number;
  /** Its end, by the store's clock. */
  readonly until: number;
}

/** The block of a client that a held record carries; null when it has ended, or the record is no client's or cannot be one. */
export function clientBlockOf(
  { key, value }: HeldRecord,
  keyspace: ClientKeyspace,
  now: number,
): ClientBlock | null {
  const address = keyspace.addressOf(key);
  if (address === null) return null;
  const { at, standing } = value as ClientRecord;
  if (!isStanding(standing) || !isHardBlocked(standing, Math.max(now, at))) return null;
  return { ...address, level: standing.hardLevel, until: standing.hardUntil };
}
