import { isLoopback, rolesOf, tokenHeader } from '../http/access.ts';
import type { TokenBook } from '../http/token-book.ts';

/** Whether a caller may ask for decisions. */
export type Admittance = 'admitted' | 'unauthenticated' | 'forbidden';

/** What a call shows of its caller. */
export interface CallerTraits {
  /** `address:port`, as the library has it. */
  readonly peer: string;
  readonly metadata: (name: string) => string | undefined;
}

/**
 * Tokens with the role `decide` where any are configured; without, this machine alone.
 *
 * @param host where the service listens: nobody else reaches the loopback, so nobody has to be looked at
 */
export function callerCheck(tokens: TokenBook, host: string): (caller: CallerTraits) => Admittance {
  if (tokens.isEmpty && isLoopback(host)) return () => 'admitted';
  if (tokens.isEmpty) {
    return ({ peer }) => (isLoopback(peer.slice(0, peer.lastIndexOf(':'))) ? 'admitted' : 'forbidden');
  }
  return ({ metadata }) => {
    const presented = metadata(tokenHeader) ?? bearerIn(metadata('authorization'));
    const holder = presented === undefined ? null : tokens.find(presented);
    if (holder === null) return 'unauthenticated';
    return rolesOf[holder.role].includes('decide') ? 'admitted' : 'forbidden';
  };
}

function bearerIn(authorization: string | undefined): string | undefined {
  if (authorization === undefined || !/^bearer /i.test(authorization)) return undefined;
  return authorization.slice('bearer '.length).trim();
}
