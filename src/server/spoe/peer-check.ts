import { isLoopback } from '../http/access.ts';
import { trustedRanges } from '../trusted-ranges.ts';

/**
 * Who may connect to the agent: this machine and the trusted proxies. The protocol has no tokens.
 *
 * @throws Fault `CONFIG_INVALID` when a range is none.
 */
export function peerCheck(trustedProxies: readonly string[]): (peer: string | undefined) => boolean {
  const ranges = trustedRanges(trustedProxies);
  return (peer) => isLoopback(peer) || (peer !== undefined && ranges.hasPeer(peer));
}
