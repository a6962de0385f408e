import type { Secrets } from '../identity/component-hasher.ts';
import { createIdentifier, type Identifier } from '../identity/identifier.ts';
import type { Store } from '../stores/store.ts';

/**
 * Beside a round trip to the store a hash costs next to nothing, while thousands of remembered subjects keep the garbage
 * collector busy: in a flood of new ones, by a tenth of all that a process can do.
 */
const rememberedBesideRoundTrips = 512;

/**
 * Remembers as many subjects as pays with this store.
 *
 * @throws Fault `CONFIG_INVALID` when a secret has fewer than 16 bytes, or both are the same.
 */
export function identifierFor(store: Pick<Store, 'immediate' | 'viewNow'>, secrets: Secrets): Identifier {
  const answersAtOnce = store.immediate !== undefined || store.viewNow !== undefined;
  return answersAtOnce ? createIdentifier(secrets) : createIdentifier(secrets, rememberedBesideRoundTrips);
}
