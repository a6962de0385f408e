import { isLoopback, presentedToken, rolesOf, tokenHeader } from '../http/access.ts';
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
  const isPrivate = isLoopback(host);
  // Tokens may come and go while the service runs.
  return (caller) => {
    if (!tokens.isEmpty) return admittanceBy(tokens, caller);
    return isPrivate || isLoopback(addressIn(caller.peer)) ? 'admitted' : 'forbidden';
  };
}

const addressIn = (peer: string): string => peer.slice(0, peer.lastIndexOf(':'));

function admittanceBy(tokens: TokenBook, { metadata }: CallerTraits): Admittance {
  const presented = presentedToken(metadata(tokenHeader), metadata('authorization'));
  const holder = presented === null ? null : tokens.find(presented);
  if (holder === null) return 'unauthenticated';
  return rolesOf[holder.role].includes('decide') ? 'admitted' : 'forbidden';
}
