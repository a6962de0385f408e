import { hash, timingSafeEqual } from 'node:crypto';
import type { ServiceToken } from '../../config/service-config.ts';
import type { Role } from '../route.ts';

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
  /** What let somebody in last: mostly the next one shows it again, and hashing costs more than all else here. */
  #latest: { readonly text: string; readonly holder: TokenHolder } | null = null;

  constructor(tokens: readonly ServiceToken[]) {
    this.replace(tokens);
  }

  get isEmpty(): boolean {
    return this.#tokens.length === 0;
  }

  /** Knows these tokens from now on, and no others. */
  replace(tokens: readonly ServiceToken[]): void {
    this.#latest = null;
    this.#tokens = tokens.map(({ name, role, sha256 }) => ({
      digest: Buffer.from(sha256, 'hex'),
      holder: { name, role },
    }));
  }

  /** Whom the presented text lets in, or null. */
  find(presented: string): TokenHolder | null {
    if (presented.length > mostChars) return null;
    const latest = this.#latest;
    if (latest !== null && isSameSecret(presented, latest.text)) return latest.holder;
    return this.#findByDigest(presented);
  }

  #findByDigest(presented: string): TokenHolder | null {
    const digest = hash('sha256', presented, 'buffer');
    let found: TokenHolder | null = null;
    for (const token of this.#tokens) if (timingSafeEqual(token.digest, digest)) found = token.holder;
    if (found !== null) this.#latest = { text: presented, holder: found };
    return found;
  }
}

/** Takes as long for a guess that is right up to its last letter as for one that is wrong from the first. */
function isSameSecret(guess: string, secret: string): boolean {
  let difference = guess.length ^ secret.length;
  for (let index = 0; index < guess.length; index += 1) {
    difference |= guess.charCodeAt(index) ^ secret.charCodeAt(index % secret.length);
  }
  return difference === 0;
}
