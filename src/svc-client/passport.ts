import type { HopPath } from './hops.ts';
import { KEY_ID_MAX_CHARS, type KeyRing, SIGNATURE_CHARS } from './key-ring.ts';
import { isSlugKey } from './slug-key.ts';

/** The request header that carries the passport. */
export const PASSPORT_HEADER = 'x-portcullis-passport';

/** A call may be this many services deep; one more is refused by the caller. */
export const MAX_HOPS = 16;
/** A full path of the longest names fits; anything longer is dropped unread. */
export const MAX_PASSPORT_CHARS = 2_048;
/** More time than this cannot travel. */
export const MAX_REMAINING_MS = 600_000;
/** More retries than this cannot travel. */
export const MAX_RETRIES = 100;

/** What travels with every call, signed. */
export interface Passport {
  /** Names the request over the whole call tree. */
  readonly requestId: string;
  /** The services it went through, the callee last. */
  readonly hops: HopPath;
  /** Retries lent to the callee and all it calls. */
  readonly retries: number;
  /** Time the caller will wait, in milliseconds from sending: a duration, because clocks differ. */
  readonly remainingMs: number;
  /** Names this one call; its receipt is only good for it. */
  readonly nonce: string;
}

/** Why a passport was dropped. */
export type PassportFlaw =
  | 'too-long'
  | 'malformed'
  | 'unknown-key'
  | 'bad-signature'
  | 'too-many-hops'
  | 'not-for-us';

export type PassportReading =
  | { readonly valid: true; readonly passport: Passport }
  | { readonly valid: false; readonly flaw: PassportFlaw };

/**
 * `1;<key id>;<signature>;<retries>;<remaining ms>;<nonce>;<hop>hop>…>;<request id>`. The request id stands last
 * because it alone may contain a `;`.
 */
const FRAME = new RegExp(`^1;([\\w-]{1,${KEY_ID_MAX_CHARS}});([\\w-]{${SIGNATURE_CHARS}});(.*)$`, 's');
const CONTENT = /^(\d{1,3});(\d{1,6});([\w-]{1,32});([^;]+);([!-~]{1,128})$/;

/** Signs and writes a passport. */
export function writePassport(passport: Passport, keys: KeyRing): string {
  const { retries, remainingMs, nonce, hops, requestId } = passport;
  return signPassport(keys, retries, remainingMs, nonce, hops.join('>'), requestId);
}

/** The same from its parts, for calls: they have the path as text. */
export function signPassport(
  keys: KeyRing,
  retries: number,
  remainingMs: number,
  nonce: string,
  path: string,
  requestId: string,
): string {
  const content = `${retries};${remainingMs};${nonce};${path};${requestId}`;
  return `1;${keys.signingId};${keys.sign('passport', content)};${content}`;
}

function flawed(flaw: PassportFlaw): PassportReading {
  return { valid: false, flaw };
}

/** Reads a passport. Nothing in it is looked at before its signature holds. */
export function readPassport(text: string, keys: KeyRing): PassportReading {
  if (text.length > MAX_PASSPORT_CHARS) return flawed('too-long');
  const [, keyId = '', signed = '', content = ''] = FRAME.exec(text) ?? [];
  if (keyId === '') return flawed('malformed');
  if (!keys.holds(keyId)) return flawed('unknown-key');
  if (!keys.verifies('passport', keyId, content, signed)) return flawed('bad-signature');
  return readContent(content);
}

/** The content is signed, so only a peer with a key and a fault can have written it wrong. */
function readContent(content: string): PassportReading {
  const [, retries, remainingMs, nonce = '', path = '', requestId = ''] = CONTENT.exec(content) ?? [];
  const hops = path.split('>');
  if (nonce === '' || !hops.every(isSlugKey)) return flawed('malformed');
  if (hops.length > MAX_HOPS) return flawed('too-many-hops');
  const passport = { requestId, hops, retries: Number(retries), remainingMs: Number(remainingMs), nonce };
  const inRange = passport.retries <= MAX_RETRIES && passport.remainingMs <= MAX_REMAINING_MS;
  return inRange ? { valid: true, passport } : flawed('malformed');
}
