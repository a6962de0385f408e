import { createHash, timingSafeEqual } from 'node:crypto';
import { Fault, shapeOf } from '../core/fault.ts';
import { assertOptions, type OptionKinds } from '../core/options.ts';
import { AddressRanges } from '../identity/address-ranges.ts';
import type { Call } from './call.ts';

/** Whose calls are not limited. */
export interface AllowListOptions {
  /** Ranges of addresses. */
  readonly cidrs?: readonly string[] | undefined;
  /** User ids. */
  readonly users?: readonly string[] | undefined;
  /** Headers with a value that only friends know, of at least 16 characters; compared in constant time. */
  readonly headers?: readonly { readonly name: string; readonly value: string }[] | undefined;
}

const optionKinds: OptionKinds<AllowListOptions> = { cidrs: 'list', users: 'list', headers: 'list' };

type FriendlyHeader = NonNullable<AllowListOptions['headers']>[number];

const headerKinds: OptionKinds<FriendlyHeader> = { name: 'checked', value: 'checked' };

/** By what a call was skipped. */
export type SkippedBy = 'cidr' | 'user' | 'header';

const leastHeaderChars = 16;

/** Answers for every call whether it is to be limited at all. */
export class AllowList {
  readonly #cidrs: AddressRanges;
  readonly #users: ReadonlySet<string>;
  readonly #headers: readonly { readonly name: string; readonly digest: Buffer }[];
  readonly #isEmpty: boolean;

  /** @throws Fault `CONFIG_INVALID` when a range or a header is not well formed. */
  constructor(options: AllowListOptions) {
    assertOptions('allow', options, optionKinds);
    const { cidrs = [], users = [], headers = [] } = options;
    users.forEach(assertUser);
    this.#cidrs = AddressRanges.of('allow.cidrs', cidrs);
    this.#users = new Set(users);
    this.#isEmpty = cidrs.length === 0 && users.length === 0 && headers.length === 0;
    this.#headers = headers.map((header, index) => {
      assertOptions(`allow.headers[${index}]`, header, headerKinds);
      const { name, value } = header;
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
    if (this.#cidrs.hasPeer(ip)) return 'cidr';
    if (user && this.#users.has(user)) return 'user';
    if (header === undefined) return null;
    for (const { name, digest } of this.#headers) {
      const value = header(name);
      if (value !== undefined && timingSafeEqual(digestOf(value), digest)) return 'header';
    }
    return null;
  }
}

/** An id that is a number never meets the text that calls have. */
function assertUser(user: string, index: number): void {
  if (typeof user === 'string' && user !== '') return;
  throw new Fault(
    'CONFIG_INVALID',
    `allow.users[${index}] must be a string that is not empty, got ${shapeOf(user)}`,
  );
}

function digestOf(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}
