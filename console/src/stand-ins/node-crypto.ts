import { sha256 } from '../replay/sha256.ts';

/** As much of `node:crypto` as rules are read with, for a page. */

export function randomBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** Of texts, by SHA-256, whatever is asked for: nothing else is. */
export function createHash(_: string) {
  let text = '';
  const hash = {
    update(part: string) {
      text += part;
      return hash;
    },
    digest(encoding?: 'hex'): string | Uint8Array {
      const words = sha256(text);
      return encoding === undefined ? bytesOf(words) : hexOf(words);
    },
  };
  return hash;
}

/** Nobody measures a page that compares what its own user has typed. */
export function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

function bytesOf(words: Int32Array): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(words.length * 4));
  words.forEach((word, index) => {
    bytes.setInt32(index * 4, word);
  });
  return new Uint8Array(bytes.buffer);
}

const hexOf = (words: Int32Array): string =>
  [...words].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
