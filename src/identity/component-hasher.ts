import { Fault } from '../core/fault.ts';
import { type Token, tokenOf } from '../core/subject.ts';
import { createHmacText, type Secret } from './hmac.ts';
import { Recent } from './recent.ts';

/** What a hashed value is: the same text as account and as device gives different hashes. */
export type ComponentKind = 'account' | 'network' | 'prefix' | 'agent' | 'device';

/** The secrets that hashes are made with. */
export interface Secrets {
  /** At least 16 bytes. */
  readonly secret: Secret;
  /** The secret before this one, while a key rotation runs (engine contract §3). */
  readonly previousSecret?: Secret | undefined;
}

/** Hashes the components of a subject, each at most once as long as it is remembered. */
export type ComponentHasher = (kind: ComponentKind, value: string) => Token;

/** Half of a surrogate pair: UTF-8 has no bytes for one. */
const loneSurrogate = /\p{Surrogate}/u;

/** Whether no other value has the same hash: with half of a character in them, values that differ in nothing else have. */
export const hasOwnHash = (value: string): boolean => !loneSurrogate.test(value);

/** How many of each component are remembered, at least. */
export const defaultRemembered = 8192;
export const longestRemembered = 256;

/**
 * The same without a memory, for whoever keeps tokens of its own.
 *
 * @throws Fault `CONFIG_INVALID` when a secret has fewer than 16 bytes, or both are the same.
 */
export function createPlainHasher({ secret, previousSecret }: Secrets): ComponentHasher {
  const hash = createHmacText(secret);
  const previousHash = previousSecret === undefined ? null : createHmacText(previousSecret, 'previousSecret');
  if (previousHash !== null && previousHash('') === hash('')) {
    throw new Fault('CONFIG_INVALID', 'secret and previousSecret are the same: there is nothing to rotate.');
  }
  return (kind, value) => {
    const message = `${kind}\0${value}`;
    return tokenOf(hash(message), previousHash === null ? null : previousHash(message));
  };
}

/** @throws Fault `CONFIG_INVALID` when a secret has fewer than 16 bytes, or both are the same. */
export function createComponentHasher(secrets: Secrets, remembered = defaultRemembered): ComponentHasher {
  return rememberingHasher(createPlainHasher(secrets), remembered);
}

export function rememberingHasher(hash: ComponentHasher, remembered: number): ComponentHasher {
  const known: Record<ComponentKind, Recent<Token>> = {
    account: new Recent(remembered, longestRemembered),
    network: new Recent(remembered, longestRemembered),
    prefix: new Recent(remembered, longestRemembered),
    agent: new Recent(remembered, longestRemembered),
    device: new Recent(remembered, longestRemembered),
  };
  return (kind, value) => {
    const recent = known[kind];
    const found = recent.get(value);
    if (found !== undefined) return found;
    const token = hash(kind, value);
    recent.set(value, token);
    return token;
  };
}
