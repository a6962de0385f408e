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

/** How many of each component are remembered, at least. */
export const defaultRemembered = 8192;
const longestRemembered = 256;

/** @throws Fault `CONFIG_INVALID` when a secret has fewer than 16 bytes, or both are the same. */
export function createComponentHasher(
  { secret, previousSecret }: Secrets,
  remembered = defaultRemembered,
): ComponentHasher {
  const hash = createHmacText(secret);
  const previousHash = previousSecret === undefined ? null : createHmacText(previousSecret, 'previousSecret');
  if (previousHash !== null && previousHash('') === hash('')) {
    throw new Fault('CONFIG_INVALID', 'secret and previousSecret are the same: there is nothing to rotate.');
  }
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
    const message = `${kind}\0${value}`;
    const token = tokenOf(hash(message), previousHash === null ? null : previousHash(message));
    recent.set(value, token);
    return token;
  };
}
