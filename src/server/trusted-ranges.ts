import { CidrSet } from '../limits/cidr-set.ts';

/**
 * The addresses among the trusted proxies; `unix`, which stands there for those that call through a Unix socket, is none.
 *
 * @throws Fault `CONFIG_INVALID` when a range is not one
 */
export function trustedRanges(trustedProxies: readonly string[]): CidrSet {
  return new CidrSet(
    'trustedProxies',
    trustedProxies.filter((proxy) => proxy !== 'unix'),
  );
}
