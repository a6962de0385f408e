import type { Key } from './records.ts';
import type {
  AccountRecord,
  AgentRecord,
  BookRecord,
  DeviceRecord,
  NetworkDeviceRecord,
  NetworkRecord,
  PrefixRecord,
} from './state.ts';
import type { KeptKey, Token } from './subject.ts';

/** Version of the engine contract; a change of behaviour changes it, and with it every key. */
export const CONTRACT_VERSION = 1;

/** How the keyspaces of limiters begin, and no policy's: its records and blocks would be taken for theirs. */
export const limiterNamespace = 'limits.';

/** The kinds of keys that name a record. K5 lives inside K4. */
export type KeyKind = 'K4' | 'K1' | 'K2' | 'K3' | 'D' | 'P48' | 'P40' | 'P32';

/**
 * Names of the records of one policy in one environment (engine contract §3). A composed key is a composition of
 * component hashes; the part in braces is the group's tag.
 */
export class Keyspace {
  /** Every record of the policy begins with this. */
  readonly prefix: string;
  readonly #makers: Readonly<Record<KeyKind | 'book', KeyMaker>>;

  constructor(environment: string, policy: string) {
    const prefix = `portcullis:${environment}:${policy}:${CONTRACT_VERSION}:`;
    this.prefix = prefix;
    this.#makers = {
      K4: new KeyMaker(`${prefix}K4:`, 0, 'K4'),
      book: new KeyMaker(`portcullis:${environment}:book:${CONTRACT_VERSION}:book:`, 1, 'book'),
      K1: new KeyMaker(`${prefix}K1:`, 2, 'K1'),
      K2: new KeyMaker(`${prefix}K2:`, 3, 'K2'),
      K3: new KeyMaker(`${prefix}K3:`, 4, 'K3', 'other'),
      D: new KeyMaker(`${prefix}D:`, 5, 'D'),
      P48: new KeyMaker(`${prefix}P48:`, 6, 'P'),
      P40: new KeyMaker(`${prefix}P40:`, 7, 'P'),
      P32: new KeyMaker(`${prefix}P32:`, 8, 'P'),
    };
  }

  account(account: Token): Key<AccountRecord> {
    return this.#makers.K4.make(account);
  }

  /** One book for all policies, in the group of the account. */
  book(account: Token): Key<BookRecord> {
    return this.#makers.book.make(account);
  }

  network(network: Token): Key<NetworkRecord> {
    return this.#makers.K1.make(network);
  }

  /** Kept with the network: it shows one agent mostly, while an agent is seen everywhere. */
  agent(network: Token, agent: Token): Key<AgentRecord> {
    return this.#makers.K2.make(network, agent);
  }

  /** Kept with the device: it is at one network mostly, while a network may have many. */
  networkDevice(network: Token, device: Token): Key<NetworkDeviceRecord> {
    return this.#makers.K3.make(device, network);
  }

  device(device: Token): Key<DeviceRecord> {
    return this.#makers.D.make(device);
  }

  macro(kind: 'P48' | 'P40' | 'P32', macro: Token): Key<PrefixRecord> {
    return this.#makers[kind].make(macro);
  }
}

/**
 * Composes the keys of one kind. Composing a text, and hashing it anew for every look into a store, costs more than
 * most rules, so the latest key is kept with one of its tokens and lives as long as that is remembered.
 */
class KeyMaker {
  readonly #prefix: string;
  readonly #kind: number;
  readonly #form: string;
  /** Which of two tokens is the tag. */
  readonly #tag: 'keeper' | 'other';

  constructor(prefix: string, kind: number, form: string, tag: 'keeper' | 'other' = 'keeper') {
    this.#prefix = prefix;
    this.#kind = kind;
    this.#form = form;
    this.#tag = tag;
  }

  /** A token keeps one key of a kind, however many keyspaces there come to be. */
  make(keeper: Token, other: Token | null = null): Key<never> {
    let before: KeptKey | undefined;
    for (let kept = keeper.kept; kept !== undefined; kept = kept.next) {
      if (kept.kind === this.#kind) {
        if (kept.by === this && kept.other === other) return kept;
        return this.#keep(keeper, before, this.#compose(keeper, other, kept.next));
      }
      before = kept;
    }
    return this.#keep(keeper, before, this.#compose(keeper, other, undefined));
  }

  #keep(keeper: Token, before: KeptKey | undefined, key: KeptKey): KeptKey {
    if (before === undefined) keeper.kept = key;
    else before.next = key;
    return key;
  }

  #compose(keeper: Token, other: Token | null, next: KeptKey | undefined): KeptKey {
    const tag = other !== null && this.#tag === 'other' ? other : keeper;
    const rest = tag === keeper ? other : keeper;
    return {
      text: this.#textOf(tag.hash, rest === null ? null : rest.hash),
      was: this.#textBefore(tag, rest),
      tag: tag.hash,
      form: this.#form,
      mark: undefined,
      kind: this.#kind,
      by: this,
      other,
      next,
    };
  }

  #textBefore(tag: Token, rest: Token | null): string | null {
    if (tag.was === null) return null;
    if (rest === null) return this.#textOf(tag.was, null);
    return rest.was === null ? null : this.#textOf(tag.was, rest.was);
  }

  /** Joined: a text that is concatenated stays in its parts, which take more memory, and longer to hash and to compare. */
  #textOf(tag: string, rest: string | null): string {
    return (rest === null ? [this.#prefix, '{', tag, '}'] : [this.#prefix, '{', tag, '}:', rest]).join('');
  }
}
