import { CidrSet } from '../../limits/cidr-set.ts';
import { isLoopback } from '../http/access.ts';

/**
 * Who may connect to the agent: this machine and the trusted proxies. The protocol has no tokens.
 *
 * @throws Fault `CONFIG_INVALID` when a range is none.
 */
export function peerCheck(trustedProxies: readonly string[]): (peer: string | undefined) => boolean {
  const ranges = new CidrSet(
    'trustedProxies',
    trustedProxies.filter((proxy) => proxy !== 'unix'),
  );
  return (peer) => isLoopback(peer) || (peer !== undefined && ranges.hasPeer(peer));
}
