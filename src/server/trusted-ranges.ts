import { AddressRanges } from '../identity/address-ranges.ts';

/**
 * The addresses among the trusted proxies; `unix`, which stands there for those that call through a Unix socket, is none.
 *
 * @throws Fault `CONFIG_INVALID` when a range is not one
 */
export function trustedRanges(trustedProxies: readonly string[]): AddressRanges {
  return AddressRanges.of(
    'trustedProxies',
    trustedProxies.filter((proxy) => proxy !== 'unix'),
  );
}
