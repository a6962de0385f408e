import { Recent } from '../identity/recent.ts';
import type { Facts } from './facts.ts';
import type { SignKey } from './scenario.ts';
import type { SubjectKeys, SubjectKeyspace } from './subject-keys.ts';

/** The keys of one address: its network's, and its client's with the agent that it showed last. */
interface AddressKeys {
  network: SubjectKeys | null;
  client: SubjectKeys | null;
  ua: string;
}

const remembered = 8192;
const longestAddress = 64;
/** A longer agent is looked up each time: nobody shall fill the memory with them. */
const longestAgent = 512;

/**
 * Finds the keys of events. Composing the text that a key is looked up by costs more than looking, so the keys of recent
 * addresses are kept with them.
 */
export class CallerKeys {
  readonly #keyspace: SubjectKeyspace;
  readonly #addresses = new Recent<AddressKeys>(remembered, longestAddress);

  constructor(keyspace: SubjectKeyspace) {
    this.#keyspace = keyspace;
  }

  /**
   * Null where the event does not show whom the key would be of.
   *
   * @throws Fault `INPUT_INVALID` when it is asked where the event comes from, and its `ip` is no address.
   */
  find(kind: SignKey, facts: Facts): SubjectKeys | null {
    if (kind === 'client' && !facts.isSignedIn) return this.#clientOf(facts);
    if (kind === 'network') return this.#networkOf(facts);
    return this.#lookUp(kind, facts);
  }

  #clientOf(facts: Facts): SubjectKeys | null {
    const ua = facts.event.ua ?? '';
    if (ua.length > longestAgent) return this.#lookUp('client', facts);
    const known = this.#addresses.get(facts.event.ip);
    if (known !== undefined && known.client !== null && known.ua === ua) return known.client;
    const keys = this.#lookUp('client', facts);
    const kept = known ?? this.#keep(facts.event.ip);
    kept.client = keys;
    kept.ua = ua;
    return keys;
  }

  #networkOf(facts: Facts): SubjectKeys | null {
    const known = this.#addresses.get(facts.event.ip);
    if (known !== undefined && known.network !== null) return known.network;
    const keys = this.#lookUp('network', facts);
    (known ?? this.#keep(facts.event.ip)).network = keys;
    return keys;
  }

  #lookUp(kind: SignKey, facts: Facts): SubjectKeys | null {
    const who = facts.who(kind);
    return who === null ? null : this.#keyspace.keysOf(kind, who);
  }

  #keep(ip: string): AddressKeys {
    const made: AddressKeys = { network: null, client: null, ua: '' };
    this.#addresses.set(ip, made);
    return made;
  }
}
