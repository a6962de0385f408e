import type { Scope } from '../core/decision.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import type { KeyKind, Keyspace } from '../core/keys.ts';
import type { Key, StoredRecord } from '../core/records.ts';
import type { Holder } from '../core/standing.ts';
import type { Token } from '../core/subject.ts';

/** A component's hash and, while a key rotation runs, the one under the previous secret. */
export type ComponentHash = Pick<Token, 'hash' | 'was'>;

/**
 * Where a block lies, as an operator names it: `login:K4:<hash>`, `login:K2:<network>:<agent>`,
 * `login:K5:<account>:<device>`. Holds hashes only. While a key rotation runs, the address of a request's key holds
 * `<hash>.<hash before>` in place of each, for the block may still lie in the record of before.
 */
export interface BlockAddress {
  readonly policy: string;
  readonly scope: Scope;
  /** The one that places the record on a cluster comes first. */
  readonly hashes: readonly ComponentHash[];
}

const kinds: ReadonlySet<string> = new Set<KeyKind>(['K4', 'K1', 'K2', 'K3', 'D', 'P48', 'P40']);
const composed: ReadonlySet<string> = new Set<Scope>(['K5', 'K3', 'K2']);
const addressPattern = /^([\w.-]{1,64}):(K[1-5]|D|P48|P40)((?::[\w-]{1,64}(?:\.[\w-]{1,64})?){1,2})$/;

export function formatAddress({ policy, scope, hashes }: BlockAddress): string {
  return [policy, scope, ...hashes.map(({ hash, was }) => (was === null ? hash : `${hash}.${was}`))].join(
    ':',
  );
}

/** Reads an operator's block id. Throws `INPUT_INVALID` when it is none. */
export function parseAddress(id: string): BlockAddress {
  const [, policy, scope, rest] = addressPattern.exec(id) ?? [];
  const hashes = rest?.slice(1).split(':').map(parseHash) ?? [];
  if (policy === undefined || scope === undefined || hashes.length !== (composed.has(scope) ? 2 : 1)) {
    throw new Fault('INPUT_INVALID', `block id must be <policy>:<scope>:<hash>[:<hash>], got ${shapeOf(id)}`);
  }
  return { policy, scope: scope as Scope, hashes };
}

function parseHash(text: string): ComponentHash {
  const [hash = '', was = null] = text.split('.');
  return { hash, was };
}

/** The address of a key of this policy, or null for a kind that is never blocked. */
export function addressOf(
  { text, was }: Pick<Key, 'text' | 'was'>,
  policy: string,
  { prefix }: Keyspace,
): BlockAddress | null {
  const [kind, ...hashes] = partsOf(text, prefix);
  if (kind === undefined || hashes.length === 0 || !kinds.has(kind)) return null;
  const [, ...before] = was === null ? [] : partsOf(was, prefix);
  return {
    policy,
    scope: kind as Scope,
    hashes: hashes.map((hash, index) => ({ hash, was: before[index] ?? null })),
  };
}

/** The kind of a key, then its hashes, out of `K2:{<tag>}:<rest>`. */
function partsOf(keyText: string, prefix: string): readonly string[] {
  const [kind, tag, ...rest] = keyText.slice(prefix.length).split(':');
  return kind === undefined || tag === undefined ? [] : [kind, tag.slice(1, -1), ...rest];
}

/** A record that blocks can lie on. */
export type BlockableRecord = StoredRecord & Holder;

/** The record a block lies in; K5 lies in the record of its account. */
export function keyOf({ scope, hashes }: BlockAddress, { prefix }: Keyspace): Key<BlockableRecord> {
  const kind = scope === 'K5' ? 'K4' : scope;
  const components = scope === 'K5' ? hashes.slice(0, 1) : hashes;
  const named = ([tag, ...rest]: readonly (string | null)[]) =>
    [`${prefix}${kind}:{${tag}}`, ...rest].join(':');
  const isRotating = components.every(({ was }) => was !== null);
  return {
    text: named(components.map(({ hash }) => hash)),
    was: isRotating ? named(components.map(({ was }) => was)) : null,
    // Prefixes of all lengths have one form.
    form: kind === 'P48' || kind === 'P40' ? 'P' : kind,
  };
}
