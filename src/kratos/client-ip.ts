import type { IncomingHttpHeaders } from 'node:http';
import { addressOf } from '../identity/address-ranges.ts';
import { proxyDefaults } from './defaults.ts';

/** Proxies whose word counts. */
export interface TrustedPeers {
  /** Whether a peer of a socket, or a hop that a proxy names, is one of them. */
  hasPeer(peer: string): boolean;
  /** Whether those without an address, on a Unix socket, are among them. Default false. */
  readonly hasUnix?: boolean | undefined;
}

/** Whom to believe about where a login comes from. */
export interface ClientIpOptions {
  /** Whose word about the client's address counts; headers of others are left out. */
  readonly trustedProxies: TrustedPeers;
  /** Which address of `X-Forwarded-For`: the first, or the nearest that is no trusted proxy. Default `first`. */
  readonly forwardedFor?: 'first' | 'nearest' | undefined;
  /** A header came from somebody who is not trusted. */
  readonly onUntrusted: () => void;
}

/** The canonical text of the client's address. Never fails. */
export type ClientIp = (peer: string | undefined, headers: IncomingHttpHeaders) => string;

/** Stands for a peer without an address, so that all of them count together. */
const unknownAddress = '0.0.0.0';

/** `True-Client-Ip`, then `X-Forwarded-For`, then `X-Real-Ip`, then the peer; the headers only from trusted proxies. */
export function createClientIp(options: ClientIpOptions): ClientIp {
  const { trustedProxies, forwardedFor = proxyDefaults.forwardedFor, onUntrusted } = options;
  const inForwardedFor = forwardedFor === 'first' ? firstIn : nearestIn;
  return (peer, headers) => {
    const address = peer === undefined ? null : addressIn(peer);
    const isTrusted = peer === undefined ? trustedProxies.hasUnix === true : trustedProxies.hasPeer(peer);
    if (!isTrusted) {
      if (hasForwardingHeader(headers)) onUntrusted();
      return address ?? unknownAddress;
    }
    return (
      addressIn(textOf(headers['true-client-ip'])) ??
      inForwardedFor(textOf(headers['x-forwarded-for']), trustedProxies) ??
      addressIn(textOf(headers['x-real-ip'])) ??
      address ??
      unknownAddress
    );
  };
}

function hasForwardingHeader(headers: IncomingHttpHeaders): boolean {
  return (
    headers['true-client-ip'] !== undefined ||
    headers['x-forwarded-for'] !== undefined ||
    headers['x-real-ip'] !== undefined
  );
}

const textOf = (header: string | string[] | undefined): string =>
  Array.isArray(header) ? '' : (header ?? '');

function firstIn(header: string): string | null {
  for (const hop of header.split(',')) {
    const address = addressIn(hop.trim());
    if (address !== null) return address;
  }
  return null;
}

/** From the right; what no proxy of ours has written begins where the first stranger is. */
function nearestIn(header: string, trusted: TrustedPeers): string | null {
  let nearest: string | null = null;
  for (const hop of header.split(',').reverse()) {
    const host = hostIn(hop.trim());
    const address = addressOf(host);
    if (address === null) return nearest;
    nearest = address;
    if (!trusted.hasPeer(host)) return nearest;
  }
  return nearest;
}

/** The address in a text, with or without a port, in brackets or not; canonical, null when there is none. */
export function addressIn(text: string): string | null {
  return addressOf(hostIn(text));
}

function hostIn(text: string): string {
  const [, bracketed] = /^\[([0-9A-Fa-f:.%\w]+)\](?::\d{1,5})?$/.exec(text) ?? [];
  const [, quad] = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(text) ?? [];
  return bracketed ?? quad ?? text;
}
