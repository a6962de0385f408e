import { randomBytes } from 'node:crypto';
import { isNumber, outOfRange } from '../core/amounts.ts';
import { DAY_MS, SECOND_MS } from '../core/duration.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import { assertOptions, type OptionKinds } from '../core/options.ts';
import { assertSecret, type Secret } from '../identity/hmac.ts';
import { assistedDevice } from './assisted-device.ts';
import { cookieOf } from './cookie.ts';
import { type GenuineToken, TokenSigner } from './device-token.ts';
import { passiveDevice } from './passive-device.ts';
import type { HeaderReader, ShownDevice } from './shown-device.ts';

/** How devices are recognised. Only `secret` is needed. */
export interface DevicesOptions {
  /** Signs device tokens. At least 16 bytes. */
  readonly secret: Secret;
  /** The secret before this one: its tokens count on until they are renewed or too old. */
  readonly previousSecret?: Secret | undefined;
  /** How long a token counts. Default 90 days. */
  readonly maxAgeMs?: number | undefined;
  /** After how long a success renews it; from `maxAgeMs` on, never. Default 7 days, or half of `maxAgeMs` where that is less. */
  readonly renewAfterMs?: number | undefined;
  /**
   * Whether the cookie is for HTTPS only. Default true; false is for development, and gives the cookie another name,
   * since browsers keep the `__Host-` prefix for cookies that are.
   */
  readonly secure?: boolean | undefined;
  /** Default `Lax`, so that a link to the sign-in page shows the device. */
  readonly sameSite?: 'Strict' | 'Lax' | undefined;
  /** Time in ms; a fraction is left out. Default `Date.now`. */
  readonly clock?: (() => number) | undefined;
}

/** A device that may be trusted from now on. */
export interface IssuedDevice {
  /** Confidence HIGH. Tell the guard of it with `succeed`, so that the account's book has it. */
  readonly device: ShownDevice;
  /** The `Set-Cookie` header to send; null when the browser has a token that is fresh enough, and first among its own. */
  readonly setCookie: string | null;
}

/** Recognises devices in requests, and issues device tokens. */
export interface Devices {
  /**
   * What a request shows of its device, by what can be trusted most: a token for this account (HIGH), an id of the
   * browser's own (MEDIUM), what its headers say (LOW), or nothing. A token of another account counts for nothing.
   * Throws `INPUT_INVALID` when `account` is no string.
   */
  show(header: HeaderReader, account: string): ShownDevice | null;
  /**
   * After a success: the device of this account and browser, with a token where one is due. Throws `INPUT_INVALID` when
   * `account` is no string.
   */
  issue(header: HeaderReader, account: string): IssuedDevice;
}

/** Accounts that people of one browser sign in to, the latest first; the longest unused goes. */
const mostTokens = 4;
const separator = '~';
const idBytes = 16;

const optionKinds: OptionKinds<DevicesOptions> = {
  secret: 'checked',
  previousSecret: 'checked',
  maxAgeMs: 'checked',
  renewAfterMs: 'checked',
  secure: 'boolean',
  sameSite: 'checked',
  clock: 'function',
};

/** @throws Fault `CONFIG_INVALID` when an option is unknown, of the wrong type or out of range; the message names it. */
export function createDevices(options: DevicesOptions): Devices {
  assertSecret((options as Partial<DevicesOptions> | undefined)?.secret);
  assertOptions('devices', options, optionKinds);
  return new TokenDevices(options);
}

class TokenDevices implements Devices {
  readonly #signer: TokenSigner;
  readonly #maxAgeMs: number;
  readonly #renewAfterMs: number;
  readonly #cookieName: string;
  readonly #cookieAttributes: string;
  readonly #clock: () => number;

  constructor(options: DevicesOptions) {
    const { maxAgeMs = 90 * DAY_MS, secure = true, sameSite = 'Lax', clock = () => Date.now() } = options;
    const { renewAfterMs = Math.min(7 * DAY_MS, maxAgeMs / 2) } = options;
    assertTime('maxAgeMs', maxAgeMs);
    if (options.renewAfterMs !== undefined) assertTime('renewAfterMs', renewAfterMs);
    assertSameSite(sameSite);
    this.#signer = new TokenSigner(options.secret, options.previousSecret);
    this.#maxAgeMs = maxAgeMs;
    this.#renewAfterMs = renewAfterMs;
    this.#cookieName = secure ? '__Host-portcullis-device' : 'portcullis-device';
    const maxAgeSeconds = Math.floor(maxAgeMs / SECOND_MS);
    this.#cookieAttributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`;
    // A token tells its time in whole milliseconds: one with a fraction would be none when it comes back.
    this.#clock = () => Math.floor(clock());
  }

  show(header: HeaderReader, account: string): ShownDevice | null {
    assertAsked(header, account);
    const genuine = this.#find(this.#tokensOf(header), account);
    if (genuine !== null) return trusted(genuine.deviceId);
    return assistedDevice(header)?.device ?? passiveDevice(header);
  }

  issue(header: HeaderReader, account: string): IssuedDevice {
    assertAsked(header, account);
    const tokens = this.#tokensOf(header);
    const shown = this.#find(tokens, account);
    const now = this.#clock();
    const isFresh = shown !== null && now < shown.issuedAt + this.#renewAfterMs;
    if (isFresh && shown.token === tokens[0]) return { device: trusted(shown.deviceId), setCookie: null };
    const deviceId = shown?.deviceId ?? randomBytes(idBytes).toString('base64url');
    const token = isFresh ? shown.token : this.#signer.issue(deviceId, account, now);
    const others = tokens.filter((other) => this.#read(other, account) === null);
    const kept = [token, ...others].slice(0, mostTokens);
    const setCookie = `${this.#cookieName}=${kept.join(separator)}; ${this.#cookieAttributes}`;
    return { device: trusted(deviceId), setCookie };
  }

  #tokensOf(header: HeaderReader): string[] {
    const cookie = cookieOf(header('cookie'), this.#cookieName);
    return cookie === undefined ? [] : cookie.split(separator, mostTokens).filter(isShort);
  }

  #find(tokens: readonly string[], account: string): FoundToken | null {
    for (const token of tokens) {
      const genuine = this.#read(token, account);
      if (genuine !== null) return { ...genuine, token };
    }
    return null;
  }

  #read(token: string, account: string): GenuineToken | null {
    return this.#signer.read(token, account, this.#clock(), this.#maxAgeMs);
  }
}

interface FoundToken extends GenuineToken {
  readonly token: string;
}

/** Ids of tokens cannot be claimed by a browser's own id: each kind has its own beginning. */
function trusted(deviceId: string): ShownDevice {
  return { id: `t:${deviceId}`, confidence: 'HIGH' };
}

const longestToken = 96;
const isShort = (token: string) => token.length > 0 && token.length <= longestToken;

function assertTime(name: string, value: number): void {
  if (isNumber(value, SECOND_MS, 400 * DAY_MS)) return;
  throw outOfRange('CONFIG_INVALID', name, 'from one second to 400 days in ms', value);
}

/** Another value would go into the header as it is. `None` is not offered: a sign-in is no part of other people's pages. */
function assertSameSite(value: 'Strict' | 'Lax'): void {
  if (value === 'Strict' || value === 'Lax') return;
  throw new Fault('CONFIG_INVALID', `sameSite must be "Strict" or "Lax", got ${shapeOf(value)}`);
}

/** A token for whatever has no account would be one for all of them. */
function assertAsked(header: HeaderReader, account: string): void {
  if (typeof header !== 'function') {
    throw new Fault(
      'INPUT_INVALID',
      `header must be a function that reads a header by its name, got ${shapeOf(header)}`,
    );
  }
  if (typeof account !== 'string') {
    throw new Fault('INPUT_INVALID', `account must be a string, got ${shapeOf(account)}`);
  }
}
