import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

/** A key that signs passports and receipts. All services that call each other hold the same ones. */
export interface PassportKey {
  /** Names the key in the header: 1 to 16 letters, digits, `-` or `_`. */
  readonly id: string;
  /** At least 32 bytes. */
  readonly secret: string | Uint8Array;
}

/** What is signed: a signature over one kind is never one over the other. */
export type SignedKind = 'passport' | 'receipt';

/** Longest key id and exact length of a signature (HMAC-SHA256, base64url). */
export const KEY_ID_MAX_CHARS = 16;
export const SIGNATURE_CHARS = 43;

function toKeyObject(secret: string | Uint8Array): KeyObject {
  return createSecretKey(typeof secret === 'string' ? Buffer.from(secret, 'utf8') : Buffer.from(secret));
}

/**
 * The keys in use. The first signs, all verify. To rotate without a dropped passport: first add the new key as the
 * second everywhere, then swap the two everywhere, then drop the old one.
 */
export class KeyRing {
  readonly signingId: string;
  readonly #keys: ReadonlyMap<string, KeyObject>;
  readonly #signing: KeyObject;

  constructor(first: PassportKey, second: PassportKey | null) {
    this.signingId = first.id;
    this.#signing = toKeyObject(first.secret);
    const keys = new Map([[first.id, this.#signing]]);
    if (second !== null) keys.set(second.id, toKeyObject(second.secret));
    this.#keys = keys;
  }

  /** Signs with the first key. */
  sign(kind: SignedKind, text: string): string {
    return signature(this.#signing, kind, this.signingId, text);
  }

  /** Whether a key of this name is held. */
  holds(keyId: string): boolean {
    return this.#keys.has(keyId);
  }

  /**
   * Compares in constant time. It compares the encoded text, not the decoded bytes: base64url has several spellings
   * of some bytes, and only one of them is accepted.
   */
  verifies(kind: SignedKind, keyId: string, text: string, signed: string): boolean {
    const key = this.#keys.get(keyId);
    if (key === undefined || signed.length !== SIGNATURE_CHARS) return false;
    const expected = Buffer.from(signature(key, kind, keyId, text), 'latin1');
    const given = Buffer.from(signed, 'latin1');
    return given.length === expected.length && timingSafeEqual(expected, given);
  }
}

function signature(key: KeyObject, kind: SignedKind, keyId: string, text: string): string {
  return createHmac('sha256', key).update(`${kind};1;${keyId};${text}`).digest('base64url');
}
