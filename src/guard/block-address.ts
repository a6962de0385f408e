import type { Scope } from '../core/decision.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import type { KeyKind, Keyspace } from '../core/keys.ts';
import type { Key, StoredRecord } from '../core/records.ts';
import type { Holder } from '../core/standing.ts';

/**
 * Where a block lies, as an operator names it: `login:K4:<hash>`, `login:K2:<network>:<agent>`,
 * `login:K5:<account>:<device>`. Holds hashes only.
 */
export interface BlockAddress {
  readonly policy: string;
  readonly scope: Scope;
  /** The group's tag first. */
  readonly hashes: readonly string[];
}

const kinds: ReadonlySet<string> = new Set<KeyKind>(['K4', 'K1', 'K2', 'K3', 'D', 'P48', 'P40']);
const composed: ReadonlySet<string> = new Set<Scope>(['K5', 'K3', 'K2']);
const addressPattern = /^([\w.-]{1,64}):(K[1-5]|D|P48|P40)((?::[\w-]{1,64}){1,2})$/;

export function formatAddress({ policy, scope, hashes }: BlockAddress): string {
  return [policy, scope, ...hashes].join(':');
}

/** Reads an operator's block id. Throws `INPUT_INVALID` when it is none. */
export function parseAddress(id: string): BlockAddress {
  const [, policy, scope, rest] = addressPattern.exec(id) ?? [];
  const hashes = rest?.slice(1).split(':') ?? [];
  if (policy === undefined || scope === undefined || hashes.length !== (composed.has(scope) ? 2 : 1)) {
    throw new Fault('INPUT_INVALID', `block id must be <policy>:<scope>:<hash>[:<hash>], got ${shapeOf(id)}`);
  }
  return { policy, scope: scope as Scope, hashes };
}

/** The address of a record of this policy, or null for a kind that is never blocked. */
export function addressOf(keyText: string, policy: string, keyspace: Keyspace): BlockAddress | null {
  const [kind, tag, ...rest] = keyText.slice(keyspace.prefix.length).split(':');
  if (kind === undefined || tag === undefined || !kinds.has(kind)) return null;
  return { policy, scope: kind as Scope, hashes: [tag.slice(1, -1), ...rest] };
}

/** A record that blocks can lie on. */
export type BlockableRecord = StoredRecord & Holder;

/** The record a block lies in; K5 lies in the record of its account. */
export function keyOf({ scope, hashes }: BlockAddress, keyspace: Keyspace): Key<BlockableRecord> {
  const [tag, rest] = hashes;
  const kind = scope === 'K5' ? 'K4' : scope;
  const tail = rest === undefined || scope === 'K5' ? '' : `:${rest}`;
  return { text: `${keyspace.prefix}${kind}:{${tag}}${tail}`, was: null };
}
