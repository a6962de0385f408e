import type { Secrets } from '../identity/component-hasher.ts';
import { createHmacText } from '../identity/hmac.ts';
import { Recent } from '../identity/recent.ts';

/** The short hash of a value: 48 bits, so that two of a few hundred hardly ever meet, and nobody can make them. */
export interface Mark {
  readonly id: string;
  /** The same under the previous secret while a key rotation runs: evidence of before knows it by that. Else null. */
  readonly was: string | null;
}

/** Short hashes of what scenarios tell apart. */
export interface Marks {
  of(value: string): Mark;
}

const remembered = 16_384;
const longestRemembered = 512;
const markLength = 8;

/** @throws Fault `CONFIG_INVALID` when a secret has fewer than 16 bytes. */
export function createMarks({ secret, previousSecret }: Secrets): Marks {
  const hash = createHmacText(secret);
  const hashBefore = previousSecret === undefined ? null : createHmacText(previousSecret, 'previousSecret');
  const known = new Recent<Mark>(remembered, longestRemembered);
  const marked = (value: string, by: typeof hash) => by(`mark\0${value}`).slice(0, markLength);
  return {
    of(value) {
      const found = known.get(value);
      if (found !== undefined) return found;
      const made = { id: marked(value, hash), was: hashBefore && marked(value, hashBefore) };
      known.set(value, made);
      return made;
    },
  };
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * One of so many counters: by the first 16 bits of a mark, which are in its first three characters. While a key rotation runs
 * it is the one of before: in another place the evidence of another value would be taken over.
 */
export function counterOf({ id, was }: Mark, counters: number): number {
  const text = was ?? id;
  let bits = 0;
  for (let index = 0; index < 3; index += 1) bits = bits * 64 + digits.indexOf(text.charAt(index));
  return (bits >> 2) % counters;
}
