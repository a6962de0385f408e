import type { Key } from './records.ts';

/** How sure we are of a device (engine contract §2). */
export type Confidence = 'LOW' | 'MEDIUM' | 'HIGH';

/** The HMAC of one normalised component. The core never sees the component itself. */
export interface Token {
  readonly hash: string;
  /** The same component under the previous secret while a key rotation runs, else null. */
  readonly was: string | null;
  /** The latest key of each kind that is kept with this token, by a keyspace (`keys.ts`). No part of the token's value. */
  kept?: KeptKey | undefined;
  /** The latest request that this token keeps (`request.ts`). No part of the token's value. */
  latest?: object | undefined;
}

/** A token with room for what is kept with it: what is added to an object later lies apart from it. */
export function tokenOf(hash: string, was: string | null): Token {
  return { hash, was, kept: undefined, latest: undefined };
}

/**
 * A key as a token keeps it: who composed it, and of which other token, if any. Then the one of another kind. One object,
 * for there are thousands of subjects whose keys are remembered.
 */
export interface KeptKey extends Key<never> {
  readonly kind: number;
  readonly by: object;
  readonly other: Token | null;
  next: KeptKey | undefined;
}

/** A device as a request shows it. */
export interface ShownDevice {
  readonly token: Token;
  readonly confidence: Confidence;
}

/** The macro prefixes of an IPv6 address (engine contract §9). */
export interface MacroPrefixes {
  readonly p48: Token;
  readonly p40: Token;
  readonly p32: Token;
}

/** Whom a request comes from and whom it concerns: all that the core knows of it. */
export interface Subject {
  /** Null where the action has no account (api). */
  readonly account: Token | null;
  /** IPv4 /32 or IPv6 /64. */
  readonly network: Token;
  /** The normalised user agent, `family/major`. */
  readonly agent: Token;
  /** The user agent `other/0`, where agents over the cap are routed (§6). */
  readonly otherAgent: Token;
  /** Null when missing. */
  readonly device: ShownDevice | null;
  /** Null for IPv4. */
  readonly macros: MacroPrefixes | null;
}
