import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { showsProxy } from '../connections/proxy-signs.ts';
import { addressIn } from './client-ip.ts';

/** Who may call the webhooks. */
export interface WebhookAccessOptions {
  /** SHA-256 of the bearer token, in hexadecimal; null: none is asked for. */
  readonly tokenSha256: string | null;
  /** Secret of the HMAC signature; null: none is asked for. */
  readonly signatureSecret: string | null;
  /** Who may call without either, besides loopback. */
  readonly addresses: { has(address: string): boolean };
  /** Seconds since the epoch. Default: the clock of the process. */
  readonly nowSeconds?: (() => number) | undefined;
}

/** A call of a webhook, as far as it matters who calls. */
export interface WebhookCaller {
  /** The caller's address, found through trusted proxies. */
  readonly ip: string;
  /** Whether it was shown as an address of 6to4 or NAT64: that of somebody else, who has not spoken. */
  readonly isTranslated: boolean;
  readonly headers: IncomingHttpHeaders;
  /** Of the request: `1.1`. */
  readonly httpVersion: string;
  readonly body: Uint8Array;
}

/** Null: may call. Else what to answer. */
export type WebhookRefusal = { readonly status: 401 | 403; readonly detail: string } | null;

/** `t=<seconds>,v1=<hexadecimal>`: HMAC-SHA256 over the seconds, a full stop and the body. */
export const signatureHeader = 'x-portcullis-signature';

/** How old a signature may be, so that a call that was overheard cannot be made again later. */
const signatureSeconds = 300;

/** With a token or a secret one of them is asked for; without, only loopback and the given addresses are let in. */
export function createWebhookAccess(
  options: WebhookAccessOptions,
): (caller: WebhookCaller) => WebhookRefusal {
  const { tokenSha256, signatureSecret, addresses } = options;
  const nowSeconds = options.nowSeconds ?? (() => Math.floor(Date.now() / 1_000));
  if (tokenSha256 === null && signatureSecret === null) {
    return (caller) => {
      const address = caller.isTranslated ? null : addressIn(caller.ip);
      const isKnown = address !== null && (isLoopback(address) || addresses.has(address));
      return isKnown && !isLed(caller, address)
        ? null
        : { status: 403, detail: 'Only loopback and the configured addresses are served.' };
    };
  }
  return ({ headers, body }) => {
    if (tokenSha256 !== null && hasToken(headers.authorization, tokenSha256)) return null;
    const signature = headers[signatureHeader];
    const isSigned =
      signatureSecret !== null &&
      typeof signature === 'string' &&
      isValid(signature, signatureSecret, body, nowSeconds());
    return isSigned ? null : { status: 401, detail: 'This needs the bearer token or a valid signature.' };
  };
}

function hasToken(authorization: string | undefined, sha256: string): boolean {
  const [, token] = /^bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  if (token === undefined) return false;
  return timingSafeEqual(createHash('sha256').update(token).digest(), Buffer.from(sha256, 'hex'));
}

function isValid(signature: string, secret: string, body: Uint8Array, now: number): boolean {
  const [, seconds, hex] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/i.exec(signature) ?? [];
  if (seconds === undefined || hex === undefined) return false;
  if (Math.abs(now - Number(seconds)) > signatureSeconds) return false;
  const expected = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(hex, 'hex'));
}

/**
 * Whether somebody else speaks through a caller we know: a page of another site through a browser on this machine, or the
 * world through a proxy here that nobody has listed. Kratos shows nothing of that.
 */
function isLed(caller: WebhookCaller, address: string): boolean {
  const { headers } = caller;
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) return true;
  return isLoopback(address) && showsProxy(caller);
}

const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.');
