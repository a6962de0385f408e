import { gonePeer } from '../connections/peer.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import { assertKind } from '../core/options.ts';
import { AddressRanges, addressOf, isTranslated } from '../identity/address-ranges.ts';
import { Recent } from '../identity/recent.ts';
import { emitWarning, type Warning, type WarningListener } from '../limits/warning.ts';
import { hopsOfForwarded, hopsOfXForwardedFor, hostOfNode } from './forwarded.ts';

/** Whom to believe about where a request comes from. */
export interface ClientAddressOptions {
  /**
   * Proxies in front of this service, as CIDRs or addresses; `unix` for one that calls through a Unix socket. Only
   * their forwarding header counts. Default: none.
   */
  readonly trustedProxies?: readonly string[] | undefined;
  /**
   * The header those proxies write. The other one is never read: a proxy passes it on as the client wrote it. Default
   * `x-forwarded-for`.
   */
  readonly forwardingHeader?: 'x-forwarded-for' | 'forwarded' | undefined;
  /** Told of mistakes in the set-up, each once. Default: a warning of the process. */
  readonly warn?: WarningListener | undefined;
}

/**
 * Finds the client's address: the socket's peer, or, where that is a trusted proxy, the nearest address of the
 * forwarding header that is not one. Never fails; the result is the text of an address.
 *
 * @param peer the socket's remote address, by `peerOf`; none for a Unix socket
 */
export type ClientAddress = (
  peer: string | null | undefined,
  header: (name: string) => string | null | undefined,
) => string;

/** A client's address, and how it was shown. */
export interface ShownAddress {
  readonly address: string;
  /**
   * Whether it is an IPv4 address that came as one of 6to4 or NAT64, which whoever is on the link may take: it counts as
   * that client's, but opens no door.
   */
  readonly isTranslated: boolean;
  /** The same for those who know addresses that open doors: one of 6to4 or NAT64 as it came, every other one as `address`. */
  readonly asShown: string;
}

const unixPeer = 'unix';
/** Stands for a peer that has no address, so that all of them are limited together. */
export const unknownAddress = '0.0.0.0';
const remembered = 8192;
const longestAddress = 64;

/** @throws Fault `CONFIG_INVALID` when a range is not one, or the header is not one of the two. */
export function createClientAddress(options: ClientAddressOptions = {}): ClientAddress {
  const shownBy = createShownAddress(options);
  return (peer, header) => shownBy(peer, header).address;
}

/** As {@link createClientAddress}, for limiters: their allowlists open for no address that is only carried by another one. */
export function createCallerAddress(options: ClientAddressOptions = {}): ClientAddress {
  const shownBy = createShownAddress(options);
  return (peer, header) => shownBy(peer, header).asShown;
}

/** As {@link createClientAddress}, for those who admit by addresses. */
export function createShownAddress(
  options: ClientAddressOptions,
): (...seen: Parameters<ClientAddress>) => ShownAddress {
  const { trustedProxies = [], forwardingHeader = 'x-forwarded-for', warn = emitWarning } = options;
  assertKind('trustedProxies', trustedProxies, 'list');
  const hopsOf = readerOf(forwardingHeader);
  const ranges = AddressRanges.of(
    'trustedProxies',
    trustedProxies.filter((proxy) => proxy !== unixPeer),
  );
  const trustsUnix = trustedProxies.includes(unixPeer);
  const peers = new Recent<ShownAddress & { readonly isTrusted: boolean }>(remembered, longestAddress);
  const unix = { ...shown('', unknownAddress), isTrusted: trustsUnix };
  const warnOnce = onceEach(warn);
  if (ranges.universal.length > 0) warnOnce(trustsEverybody(ranges.universal));

  function judgePeer(peer: string) {
    const known = peers.get(peer);
    if (known !== undefined) return known;
    const judged = { ...shown(peer, addressOf(peer) ?? unknownAddress), isTrusted: ranges.hasPeer(peer) };
    peers.set(peer, judged);
    return judged;
  }

  return (peer, header) => {
    const nearest = peer ? judgePeer(peer) : unix;
    if (nearest.isTrusted) return walk(nearest, hopsOf(header(forwardingHeader)), ranges);
    if (nearest.address === unknownAddress && peer !== gonePeer) warnOnce(peerUnknown);
    if (trustedProxies.length === 0 && isForwarded(header)) warnOnce(proxyUntrusted);
    return nearest;
  };
}

/** Goes on while the hop is one of ours; stops where somebody else's words begin, or no address is told. */
function walk(peer: ShownAddress, hops: Iterable<string>, trusted: AddressRanges): ShownAddress {
  let client = peer;
  for (const hop of hops) {
    const host = hostOfNode(hop);
    const address = host === null ? null : addressOf(host);
    if (host === null || address === null) return client;
    client = shown(host, address);
    if (!trusted.hasPeer(host)) return client;
  }
  return client;
}

function shown(text: string, address: string): ShownAddress {
  const translated = isTranslated(text, address);
  return { address, isTranslated: translated, asShown: translated ? text : address };
}

function readerOf(header: string): (value: string | null | undefined) => Iterable<string> {
  if (header === 'x-forwarded-for') return (value) => (value ? hopsOfXForwardedFor(value) : []);
  if (header === 'forwarded') return (value) => (value ? hopsOfForwarded(value) : []);
  throw new Fault(
    'CONFIG_INVALID',
    `forwardingHeader must be "x-forwarded-for" or "forwarded", got ${shapeOf(header)}`,
  );
}

function isForwarded(header: (name: string) => string | null | undefined): boolean {
  return Boolean(header('x-forwarded-for') || header('forwarded'));
}

function onceEach(warn: WarningListener): WarningListener {
  const given = new Set<string>();
  return (warning) => {
    if (given.has(warning.code)) return;
    given.add(warning.code);
    warn(warning);
  };
}

const trustsEverybody = (cidrs: readonly string[]): Warning => ({
  code: 'PORTCULLIS_TRUSTS_EVERYBODY',
  message: `trustedProxies contains ${cidrs.join(' and ')}: every client can write its own address. List the addresses of your proxies.`,
});

const proxyUntrusted: Warning = {
  code: 'PORTCULLIS_PROXY_UNTRUSTED',
  message:
    'A request carried X-Forwarded-For or Forwarded, but trustedProxies is empty: the header is ignored and the address of the peer is used. If there is a proxy in front, list its address in trustedProxies.',
};

const peerUnknown: Warning = {
  code: 'PORTCULLIS_PEER_UNKNOWN',
  message:
    'A request came without the address of a peer: all such requests count as one client. In Hono and fetch handlers the option peer gives it, from where the runtime keeps it. Only where nobody but a proxy calls, through a Unix socket, add "unix" to trustedProxies: else every client can write its own address.',
};
