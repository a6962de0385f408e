import { Fault } from '../core/fault.ts';
import type { Token } from '../core/subject.ts';
import { createComponentHasher, hasOwnHash, type Secrets } from '../identity/component-hasher.ts';
import { createIdentifier } from '../identity/identifier.ts';
import { Recent } from '../identity/recent.ts';
import type { Call } from './call.ts';
import type { ClientKey, ClientKeyspace } from './client-keys.ts';

/** Whom a call comes from. */
export type Client = Pick<Call, 'ip' | 'ua' | 'user'>;

/** Finds the key of a client. Throws `INPUT_INVALID` when an anonymous client's `ip` is no address, or a `user` has no hash of its own. */
export type ClientFinder = (client: Client) => ClientKey;

const remembered = 8192;
const longestUser = 256;

/**
 * Composing keys, and hashing their texts anew for each look into a store, costs more than deciding, so those of recent
 * clients are kept: users by their id, networks by the agent they showed last.
 *
 * @throws Fault `CONFIG_INVALID` when a secret has fewer than 16 bytes, or both are the same.
 */
export function createClientFinder(keyspace: ClientKeyspace, secrets: Secrets): ClientFinder {
  const hash = createComponentHasher(secrets);
  const identifier = createIdentifier(secrets);
  const users = new Recent<ClientKey>(remembered, longestUser);
  const networks = new WeakMap<Token, { readonly agent: Token; readonly key: ClientKey }>();

  function ofUser(user: string): ClientKey {
    const known = users.get(user);
    if (known !== undefined) return known;
    if (!hasOwnHash(user)) throw new Fault('INPUT_INVALID', 'user must not contain half of a surrogate pair');
    const key = keyspace.user(hash('account', user));
    users.set(user, key);
    return key;
  }

  return ({ ip, ua, user }) => {
    if (user) return ofUser(user);
    const { network, agent, otherAgent } = identifier.identify({ ip, ua: ua ?? undefined });
    const known = networks.get(network);
    if (known?.agent === agent) return known.key;
    const key = keyspace.anonymous(network, agent, otherAgent);
    networks.set(network, { agent, key });
    return key;
  };
}
