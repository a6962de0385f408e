import { Keyspace, limiterNamespace } from '../../core/keys.ts';
import type { Key } from '../../core/records.ts';
import type { Secrets } from '../../identity/component-hasher.ts';
import { createHmacText } from '../../identity/hmac.ts';
import { Recent } from '../../identity/recent.ts';
import type { CountRecord } from './count-hits.ts';
import type { DescriptorPair } from './descriptor-tree.ts';
import type { WindowUnit } from './window-unit.ts';

/** Names the counter of a descriptor. Its values may be identifiers, so the name is an HMAC of them. */
export type DescriptorKeys = (
  domain: string,
  pairs: readonly DescriptorPair[],
  unit: WindowUnit,
) => Key<CountRecord>;

const remembered = 8_192;
const longestRemembered = 512;

/**
 * Keys of recent descriptors are kept: hashing costs more than counting.
 *
 * @throws Fault `CONFIG_INVALID` when a secret has fewer than 16 bytes.
 */
export function createDescriptorKeys(environment: string, secrets: Secrets): DescriptorKeys {
  const hash = createHmacText(secrets.secret);
  const hashBefore =
    secrets.previousSecret === undefined ? null : createHmacText(secrets.previousSecret, 'previousSecret');
  const { prefix } = new Keyspace(environment, `${limiterNamespace}descriptors`);
  const recent = new Recent<Key<CountRecord>>(remembered, longestRemembered);
  return (domain, pairs, unit) => {
    const message = nameOf(domain, pairs, unit);
    const known = recent.get(message);
    if (known !== undefined) return known;
    const named = (by: (text: string) => string) => `${prefix}C:{${by(`descriptor\0${message}`)}}`;
    const key = { text: named(hash), was: hashBefore === null ? null : named(hashBefore) };
    recent.set(message, key);
    return key;
  };
}

/** With the length of every part, so that no two descriptors have one name. */
function nameOf(domain: string, pairs: readonly DescriptorPair[], unit: WindowUnit): string {
  let name = `${unit}:${domain.length}:${domain}`;
  for (const { key, value } of pairs) name += `${key.length}:${key}${value.length}:${value}`;
  return name;
}
