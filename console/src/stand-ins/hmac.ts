import { sha256 } from '../replay/sha256.ts';

/** As `src/identity/hmac.ts` gives it, so that marks and keys have the same form. */
const textLength = 22;
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * Stands in the page for the service's HMAC: a keyed hash whose secret lives as long as one replay. Nobody else sees what it
 * makes, so that it need not withstand more than chance.
 */
export function createHmacText(secret: string | Uint8Array): (message: string) => string {
  const key = typeof secret === 'string' ? secret : String.fromCharCode(...secret);
  return (message) => base64url(sha256(`${key}\0${message}`));
}

/** A replay makes its secret itself. */
export function assertSecret(_: unknown): void {}

function base64url(words: Int32Array): string {
  let text = '';
  for (let at = 0; at < textLength; at += 1) {
    const bit = at * 6;
    const word = words[bit >> 5] ?? 0;
    const next = words[(bit >> 5) + 1] ?? 0;
    const shift = 26 - (bit & 31);
    const six = shift >= 0 ? word >>> shift : (word << -shift) | (next >>> (32 + shift));
    text += digits.charAt(six & 63);
  }
  return text;
}
