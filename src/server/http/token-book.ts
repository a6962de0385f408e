import { hash, timingSafeEqual } from 'node:crypto';
import type { ServiceToken } from '../../config/service-config.ts';
import type { Role } from '../route.ts';

/** A token as configured: only the SHA-256 of it, in hex. */
export type TokenConfig = ServiceToken;

/** Whom a token lets in. */
export interface TokenHolder {
  readonly name: string;
  readonly role: Role;
}

/** Nobody has a longer one; hashing must not cost more than deciding. */
const mostChars = 1024;

/**
 * The configured tokens, by their digests. What is presented is hashed first and compared with every one of them in
 * constant time, so that neither a prefix nor the place in the list can be measured.
 */
export class TokenBook {
  #tokens: readonly { readonly digest: Buffer; readonly holder: TokenHolder }[] = [];

  constructor(tokens: readonly TokenConfig[]) {
    this.replace(tokens);
  }

  get isEmpty(): boolean {
    return this.#tokens.length === 0;
  }

  /** Knows these tokens from now on, and no others. */
  replace(tokens: readonly TokenConfig[]): void {
    this.#tokens = tokens.map(({ name, role, sha256 }) => ({
      digest: Buffer.from(sha256, 'hex'),
      holder: { name, role },
    }));
  }

  /** Whom the presented text lets in, or null. */
  find(presented: string): TokenHolder | null {
    if (presented.length > mostChars) return null;
    const digest = hash('sha256', presented, 'buffer');
    let found: TokenHolder | null = null;
    for (const token of this.#tokens) if (timingSafeEqual(token.digest, digest)) found = token.holder;
    return found;
  }
}
