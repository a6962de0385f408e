import type { Key, StoredRecord } from './records.ts';
import type {
  AccountRecord,
  AgentRecord,
  BookRecord,
  DeviceRecord,
  NetworkDeviceRecord,
  NetworkRecord,
  PrefixRecord,
} from './state.ts';
import type { Token } from './subject.ts';

/** Version of the engine contract; a change of behaviour changes it, and with it every key. */
export const CONTRACT_VERSION = 1;

/** The kinds of keys that name a record. K5 lives inside K4. */
export type KeyKind = 'K4' | 'K1' | 'K2' | 'K3' | 'D' | 'P48' | 'P40' | 'P32';

/**
 * Names of the records of one policy in one environment (engine contract §3). A composed key is a composition of
 * component hashes; the part in braces is the group's tag.
 */
export class Keyspace {
  /** Every record of the policy begins with this. */
  readonly prefix: string;
  readonly #book: string;

  constructor(environment: string, policy: string) {
    this.prefix = `portcullis:${environment}:${policy}:${CONTRACT_VERSION}:`;
    this.#book = `portcullis:${environment}:book:${CONTRACT_VERSION}:book:`;
  }

  account = (account: Token): Key<AccountRecord> => single(`${this.prefix}K4:`, account);
  /** One book for all policies, in the group of the account. */
  book = (account: Token): Key<BookRecord> => single(this.#book, account);
  network = (network: Token): Key<NetworkRecord> => single(`${this.prefix}K1:`, network);
  agent = (network: Token, agent: Token): Key<AgentRecord> => pair(`${this.prefix}K2:`, network, agent);
  networkDevice = (network: Token, device: Token): Key<NetworkDeviceRecord> =>
    pair(`${this.prefix}K3:`, network, device);
  device = (device: Token): Key<DeviceRecord> => single(`${this.prefix}D:`, device);
  macro = (kind: 'P48' | 'P40' | 'P32', macro: Token): Key<PrefixRecord> =>
    single(`${this.prefix}${kind}:`, macro);
}

function single<R extends StoredRecord>(prefix: string, token: Token): Key<R> {
  return { text: `${prefix}{${token.hash}}`, was: token.was === null ? null : `${prefix}{${token.was}}` };
}

function pair<R extends StoredRecord>(prefix: string, tag: Token, rest: Token): Key<R> {
  const was = tag.was === null || rest.was === null ? null : `${prefix}{${tag.was}}:${rest.was}`;
  return { text: `${prefix}{${tag.hash}}:${rest.hash}`, was };
}
