import { createHash, timingSafeEqual } from 'node:crypto';
import { Fault, shapeOf } from '../core/fault.ts';
import type { Call } from './call.ts';
import { addressOf, CidrSet } from './cidr-set.ts';

/** Whose calls are not limited. */
export interface AllowListOptions {
  /** Ranges of addresses. */
  readonly cidrs?: readonly string[] | undefined;
  /** User ids. */
  readonly users?: readonly string[] | undefined;
  /** Headers with a value that only friends know, of at least 16 characters; compared in constant time. */
  readonly headers?: readonly { readonly name: string; readonly value: string }[] | undefined;
}

/** By what a call was skipped. */
export type SkippedBy = 'cidr' | 'user' | 'header';

const leastHeaderChars = 16;

/** Answers for every call whether it is to be limited at all. */
export class AllowList {
  readonly #cidrs: CidrSet;
  readonly #users: ReadonlySet<string>;
  readonly #headers: readonly { readonly name: string; readonly digest: Buffer }[];
  readonly #isEmpty: boolean;

  /** @throws Fault `CONFIG_INVALID` when a range or a header is not well formed. */
  constructor({ cidrs = [], users = [], headers = [] }: AllowListOptions) {
    this.#cidrs = new CidrSet('allow.cidrs', cidrs);
    this.#users = new Set(users);
    this.#isEmpty = cidrs.length === 0 && users.length === 0 && headers.length === 0;
    this.#headers = headers.map(({ name, value }, index) => {
      if (typeof value === 'string' && value.length >= leastHeaderChars && /^[\w-]+$/.test(name)) {
        return { name: name.toLowerCase(), digest: digestOf(value) };
      }
      throw new Fault(
        'CONFIG_INVALID',
        `allow.headers[${index}] must have a name and a value of at least ${leastHeaderChars} characters, got ${shapeOf(value)}`,
      );
    });
  }

  /** What lets the call pass, or null. */
  find({ ip, user, header }: Call): SkippedBy | null {
    if (this.#isEmpty) return null;
    if (!this.#cidrs.isEmpty && this.#cidrs.has(addressOf(ip) ?? '')) return 'cidr';
    if (user && this.#users.has(user)) return 'user';
    if (header === undefined) return null;
    for (const { name, digest } of this.#headers) {
      const value = header(name);
      if (value !== undefined && timingSafeEqual(digestOf(value), digest)) return 'header';
    }
    return null;
  }
}

function digestOf(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}
