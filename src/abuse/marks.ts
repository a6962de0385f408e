import { createHmacText, type Secret } from '../identity/hmac.ts';
import { Recent } from '../identity/recent.ts';

/** Short hashes of what scenarios tell apart. */
export interface Marks {
  /** 48 bits, so that two of a few hundred values hardly ever meet, and nobody can make them. */
  of(value: string): string;
}

const remembered = 16_384;
const longestRemembered = 512;
const markLength = 8;

/** @throws Fault `CONFIG_INVALID` when the secret has fewer than 16 bytes. */
export function createMarks(secret: Secret): Marks {
  const hash = createHmacText(secret);
  const known = new Recent<string>(remembered, longestRemembered);
  return {
    of(value) {
      const found = known.get(value);
      if (found !== undefined) return found;
      const made = hash(`mark\0${value}`).slice(0, markLength);
      known.set(value, made);
      return made;
    },
  };
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** One of so many counters: by the first 16 bits of a mark, which are in its first three characters. */
export function counterOf(mark: string, counters: number): number {
  let bits = 0;
  for (let index = 0; index < 3; index += 1) bits = bits * 64 + digits.indexOf(mark.charAt(index));
  return (bits >> 2) % counters;
}
