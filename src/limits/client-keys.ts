import { Keyspace } from '../core/keys.ts';
import type { Key, StoredRecord } from '../core/records.ts';
import type { Token } from '../core/subject.ts';
import type { ClientRecord, NetworkSights } from './client-record.ts';

/** The records of one client, all in one group. */
export interface ClientKeys {
  readonly client: Key<ClientRecord>;
  /** Where a client goes whose network has shown too many agents; null where no agent counts. */
  readonly crowd: { readonly network: Key<NetworkSights>; readonly other: Key<ClientRecord> } | null;
  /** The keys above, as a step names them. */
  readonly all: readonly Key[];
}

/** Names the records of one limiter in one environment. */
export class ClientKeyspace {
  readonly #prefix: string;

  constructor(environment: string, limiter: string) {
    this.#prefix = new Keyspace(environment, `limits.${limiter}`).prefix;
  }

  user(user: Token): ClientKeys {
    const client = this.#key<ClientRecord>('U', user);
    return { client, crowd: null, all: [client] };
  }

  /** An anonymous client is its network and its agent; `other/0` needs no admission, for everybody shares it. */
  anonymous(network: Token, agent: Token, other: Token): ClientKeys {
    const client = this.#key<ClientRecord>('K2', network, agent);
    if (agent.hash === other.hash) return { client, crowd: null, all: [client] };
    const crowd = {
      network: this.#key<NetworkSights>('K1', network),
      other: this.#key<ClientRecord>('K2', network, other),
    };
    return { client, crowd, all: [client, crowd.network, crowd.other] };
  }

  #key<R extends StoredRecord>(kind: string, tag: Token, rest?: Token): Key<R> {
    const name = (tagHash: string, restHash: string | undefined) =>
      `${this.#prefix}${kind}:{${tagHash}}${restHash === undefined ? '' : `:${restHash}`}`;
    const was = tag.was === null || rest?.was === null ? null : name(tag.was, rest?.was);
    return { text: name(tag.hash, rest?.hash), was };
  }
}
