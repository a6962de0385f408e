import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { MINUTE_MS } from '../core/duration.ts';
import { Fault } from '../core/fault.ts';
import { type Secret, secretBytes } from '../identity/hmac.ts';

/** A token that this server has made for an account. */
export interface GenuineToken {
  readonly deviceId: string;
  readonly issuedAt: number;
}

const tokenText = /^1\.([A-Za-z0-9_-]{22})\.([0-9a-z]{1,11})\.([A-Za-z0-9_-]{43})$/;
/** The clocks of the servers that issue tokens may differ by as much. */
const skewMs = 5 * MINUTE_MS;

/**
 * Signs and reads device tokens: `1.<device>.<issued at>.<signature>`. The account is signed but not told: on another
 * account the signature is wrong, and nothing says whose it would be.
 */
export class TokenSigner {
  readonly #keys: readonly KeyObject[];

  /** @throws Fault `CONFIG_INVALID` when a secret has fewer than 16 bytes. */
  constructor(secret: Secret, previousSecret?: Secret) {
    const secrets = [secretBytes(secret)];
    if (previousSecret !== undefined) secrets.push(secretBytes(previousSecret, 'previousSecret'));
    this.#keys = secrets.map((bytes) => createSecretKey(bytes));
  }

  issue(deviceId: string, account: string, now: number): string {
    const issued = now.toString(36);
    return `1.${deviceId}.${issued}.${this.#sign(0, deviceId, issued, account)}`;
  }

  /** Null unless the token was made for this account, under a secret that still counts, and is not too old. */
  read(token: string, account: string, now: number, maxAgeMs: number): GenuineToken | null {
    const [, deviceId, issued, signature] = token.match(tokenText) ?? [];
    if (deviceId === undefined || issued === undefined || signature === undefined) return null;
    const genuine = this.#verifies(deviceId, issued, account, signature);
    const issuedAt = Number.parseInt(issued, 36);
    const isTimely = issuedAt <= now + skewMs && now < issuedAt + maxAgeMs;
    return genuine && isTimely ? { deviceId, issuedAt } : null;
  }

  /**
   * Compares under every key, also after one has matched, so that the time tells nothing. The texts are compared, not
   * the bytes: base64url has several spellings of some bytes, and one of them is enough.
   */
  #verifies(deviceId: string, issued: string, account: string, signature: string): boolean {
    const given = Buffer.from(signature, 'latin1');
    let genuine = false;
    for (let key = 0; key < this.#keys.length; key += 1) {
      const expected = Buffer.from(this.#sign(key, deviceId, issued, account), 'latin1');
      if (given.length === expected.length && timingSafeEqual(given, expected)) genuine = true;
    }
    return genuine;
  }

  #sign(key: number, deviceId: string, issued: string, account: string): string {
    const [signing] = this.#keys.slice(key);
    if (signing === undefined) throw new Fault('INVARIANT_BROKEN', `there is no signing key ${key}`);
    return createHmac('sha256', signing)
      .update(`device-token\0${deviceId}\0${issued}\0${account}`)
      .digest('base64url');
  }
}
