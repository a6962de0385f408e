import { createHash } from 'node:crypto';
import { Keyspace } from '../core/keys.ts';
import { parseAddress } from '../identity/address.ts';
import { createComponentHasher, type Secrets } from '../identity/component-hasher.ts';

/** The name of a counter, and the name it had under the previous secret while a key rotation runs. */
export interface CounterKey {
  readonly text: string;
  readonly was: string | null;
}

/** Names counters. The keys of an address and of the shares in it are one group. */
export interface CounterKeys {
  identifier(identifier: string): CounterKey;
  ip(ip: string): CounterKey;
  /** What an identifier has added to the counter of an address. */
  share(ip: string, identifier: string): CounterKey;
  /** The part of a share's name that stands for the identifier. */
  sharer(identifier: string): string;
}

/**
 * Keys that carry HMACs and no identifier. An IPv6 address counts by its /64, which is what one subscriber has: by
 * single addresses nobody would ever reach the maximum.
 *
 * @param name part of every key; what is stored in different ways must not meet under one
 * @throws Fault `CONFIG_INVALID` when a secret has fewer than 16 bytes, or both are the same.
 */
export function hashedKeys(secrets: Secrets, environment: string, name: string): CounterKeys {
  const { prefix } = new Keyspace(environment, name);
  const hash = createComponentHasher(secrets);
  const idToken = (identifier: string) => hash('account', identifier);
  const ipToken = (ip: string) => hash('network', parseAddress(ip).network);
  const named = (kind: string, tag: string, rest = '') => `${prefix}${kind}:{${tag}}${rest}`;
  return {
    identifier(identifier) {
      const { hash: tag, was } = idToken(identifier);
      return { text: named('id', tag), was: was === null ? null : named('id', was) };
    },
    ip(ip) {
      const { hash: tag, was } = ipToken(ip);
      return { text: named('ip', tag), was: was === null ? null : named('ip', was) };
    },
    share(ip, identifier) {
      const [network, sharer] = [ipToken(ip), idToken(identifier)];
      const isRotating = network.was !== null && sharer.was !== null;
      return {
        text: named('share', network.hash, `:${sharer.hash}`),
        was: isRotating ? named('share', network.was, `:${sharer.was}`) : null,
      };
    },
    sharer: (identifier) => idToken(identifier).hash,
  };
}

/** What a store can hold as it is. Longer texts, and such with control characters, stand there by their hash. */
const longestText = 320;

/** Keys in clear, `login_backoff:id:…` and `login_backoff:ip:…`, as an existing deployment has them. */
export const plainKeys: CounterKeys = {
  identifier: (identifier) => clear(`login_backoff:id:${holdable(identifier)}`),
  ip: (ip) => clear(plainIp(ip)),
  // In the braces stands the whole key of the address, so that a cluster keeps the two in one slot.
  share: (ip, identifier) => clear(`{${plainIp(ip)}}:from:${holdable(identifier)}`),
  sharer: holdable,
};

const clear = (text: string): CounterKey => ({ text, was: null });
const plainIp = (ip: string): string => `login_backoff:ip:${ip}`;

function holdable(identifier: string): string {
  if (identifier.length <= longestText && !/\p{Cc}|\p{Cs}/u.test(identifier)) return identifier;
  return `sha256:${createHash('sha256').update(identifier).digest('hex')}`;
}
