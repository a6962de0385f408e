import { timingSafeEqual } from 'node:crypto';
import { createHmacText } from '../identity/hmac.ts';

/** A key that signs passports and receipts. All services that call each other hold the same ones. */
export interface PassportKey {
  /** Names the key in the header: 1 to 16 letters, digits, `-` or `_`. */
  readonly id: string;
  /** At least 32 bytes. */
  readonly secret: string | Uint8Array;
}

/** What is signed: a signature over one kind is never one over the other. */
export type SignedKind = 'passport' | 'receipt';

/** Longest key id, and the length of every signature: 132 bits of an HMAC-SHA256, as base64url. */
export const KEY_ID_MAX_CHARS = 16;
export const SIGNATURE_CHARS = 22;

type Sign = (message: string) => string;

/**
 * The keys in use. The first signs, all verify. To rotate without a dropped passport: first add the new key as the
 * second everywhere, then swap the two everywhere, then drop the old one.
 */
export class KeyRing {
  readonly signingId: string;
  readonly #keys: ReadonlyMap<string, Sign>;
  readonly #signing: Sign;

  constructor(first: PassportKey, second: PassportKey | null) {
    this.signingId = first.id;
    this.#signing = createHmacText(first.secret);
    const keys = new Map([[first.id, this.#signing]]);
    if (second !== null) keys.set(second.id, createHmacText(second.secret));
    this.#keys = keys;
  }

  /** Signs with the first key. */
  sign(kind: SignedKind, text: string): string {
    return this.#signing(signed(kind, this.signingId, text));
  }

  /** Whether a key of this name is held. */
  holds(keyId: string): boolean {
    return this.#keys.has(keyId);
  }

  /** Compares in constant time, as text: there is one spelling of a signature. */
  verifies(kind: SignedKind, keyId: string, text: string, signature: string): boolean {
    const key = this.#keys.get(keyId);
    if (key === undefined || signature.length !== SIGNATURE_CHARS) return false;
    const expected = Buffer.from(key(signed(kind, keyId, text)), 'latin1');
    const given = Buffer.from(signature, 'latin1');
    return given.length === expected.length && timingSafeEqual(expected, given);
  }
}

function signed(kind: SignedKind, keyId: string, text: string): string {
  return `${kind};1;${keyId};${text}`;
}
