import type { ClientRecord } from '../core/client-state.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import { Keyspace, limiterNamespace } from '../core/keys.ts';
import type { Key, StoredRecord } from '../core/records.ts';
import { type Token, tokenOf } from '../core/subject.ts';
import type { NetworkSights } from './client-record.ts';

/**
 * The key of one client's record, and those of the records that go with it, all in one group. One object: of clients that
 * call now and then, each object on the way to their record costs a look into memory that no cache holds.
 */
export interface ClientKey extends Key<ClientRecord> {
  /** Where a client goes whose network has shown too many agents; null where no agent counts. */
  readonly crowd: Crowd | null;
  /** All of them, once a step has named them: the same list then for each step of the client. */
  group: readonly Key[] | null;
}

interface Crowd {
  readonly network: Key<NetworkSights>;
  readonly other: Key<ClientRecord>;
}

/** A client as operators see it, by its hashes. */
interface ClientAddress {
  readonly id: string;
  readonly scope: 'U' | 'K2';
}

/** The name of the form of its record; what a network has seen has none. */
const clientForm = 'client';

/** What follows a keyspace's prefix in the name of a client's record. */
const clientPattern = /^(U|K2):\{([\w-]{1,64})\}((?::[\w-]{1,64})?)$/;

/** The same in a block's id. While a key rotation runs, a hash may be followed by the one of before: `<hash>.<hash before>`. */
const addressPattern = /^(U|K2)((?::[\w-]{1,64}(?:\.[\w-]{1,64})?){1,2})$/;

/** Names the records of one limiter in one environment. */
export class ClientKeyspace {
  /** Every record of the limiter begins with this. */
  readonly prefix: string;
  /** Every id of one of its blocks begins with this. */
  readonly #idPrefix: string;

  constructor(environment: string, limiter: string) {
    const name = `${limiterNamespace}${limiter}`;
    this.prefix = new Keyspace(environment, name).prefix;
    this.#idPrefix = `${name}:`;
  }

  /** Null for a record that is no client's. */
  addressOf(keyText: string): ClientAddress | null {
    const [, scope, tag, rest] = clientPattern.exec(keyText.slice(this.prefix.length)) ?? [];
    if (scope !== 'U' && scope !== 'K2') return null;
    return { id: `${this.#idPrefix}${scope}:${tag}${rest}`, scope };
  }

  /** The id of a client's block, wherever a key rotation that runs has left it. */
  idOf({ text, was }: Key<ClientRecord>): string {
    const [scope, ...hashes] = this.#partsOf(text);
    const [, ...before] = was === null ? [] : this.#partsOf(was);
    const names = hashes.map((hash, index) =>
      before[index] === undefined ? hash : `${hash}.${before[index]}`,
    );
    return `${this.#idPrefix}${[scope, ...names].join(':')}`;
  }

  /** Scope and hashes of the name of a client's record. */
  #partsOf(keyText: string): readonly string[] {
    const [, scope = '', tag = '', rest = ''] = clientPattern.exec(keyText.slice(this.prefix.length)) ?? [];
    return [scope, tag, ...rest.split(':').slice(1)];
  }

  /** @throws Fault `INPUT_INVALID` when it is not the id of a block of this limiter. */
  addressed(id: string): ClientKey {
    const isOwn = typeof id === 'string' && id.startsWith(this.#idPrefix);
    const [, scope, names] = (isOwn && addressPattern.exec(id.slice(this.#idPrefix.length))) || [];
    if (scope === undefined || names === undefined) {
      throw new Fault(
        'INPUT_INVALID',
        `block id must be ${this.#idPrefix}<scope>:<hash>[:<hash>], got ${shapeOf(id)}`,
      );
    }
    const [tag = tokenOf('', null), rest] = names.slice(1).split(':').map(tokenNamed);
    return clientKey(this.#key(scope as ClientAddress['scope'], tag, rest), null);
  }

  user(user: Token): ClientKey {
    return clientKey(this.#key('U', user), null);
  }

  /** An anonymous client is its network and its agent; `other/0` needs no admission, for everybody shares it. */
  anonymous(network: Token, agent: Token, other: Token): ClientKey {
    const client = this.#key<ClientRecord>('K2', network, agent);
    if (agent.hash === other.hash) return clientKey(client, null);
    return clientKey(client, {
      network: this.#key('K1', network),
      other: this.#key('K2', network, other),
    });
  }

  #key<R extends StoredRecord>(kind: 'U' | 'K1' | 'K2', tag: Token, rest?: Token): Key<R> {
    const name = (tagHash: string, restHash: string | undefined) =>
      `${this.prefix}${kind}:{${tagHash}}${restHash === undefined ? '' : `:${restHash}`}`;
    const was = tag.was === null || rest?.was === null ? null : name(tag.was, rest?.was);
    const form = kind === 'K1' ? undefined : clientForm;
    return { text: name(tag.hash, rest?.hash), was, tag: tag.hash, form, mark: undefined };
  }
}

function tokenNamed(name: string): Token {
  const [hash = '', was = null] = name.split('.');
  return tokenOf(hash, was);
}

/** The record that a key had before the rotation that runs; null where none does. */
export function keyBefore({ was }: Key<ClientRecord>): ClientKey | null {
  return was === null ? null : clientKey({ text: was, was: null }, null);
}

function clientKey({ text, was, tag }: Key<ClientRecord>, crowd: Crowd | null): ClientKey {
  return { text, was, tag, form: clientForm, mark: undefined, crowd, group: null };
}

/** The client's key and those that go with it, as a step names them. */
export function keysOf(client: ClientKey): readonly Key[] {
  client.group ??= listed(client);
  return client.group;
}

function listed(client: ClientKey): readonly Key[] {
  const { crowd } = client;
  return crowd === null ? [client] : [client, crowd.network, crowd.other];
}
