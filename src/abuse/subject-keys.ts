import { Fault } from '../core/fault.ts';
import { Keyspace } from '../core/keys.ts';
import type { Key } from '../core/records.ts';
import type { Secrets } from '../identity/component-hasher.ts';
import { createHmacText } from '../identity/hmac.ts';
import { Recent } from '../identity/recent.ts';
import type { Evidence } from './evidence.ts';
import type { SignKey } from './scenario.ts';
import type { SubjectRecord } from './subject-record.ts';

/** The records of one key of a scenario, all in one group. */
export interface SubjectKeys {
  readonly subject: Key<SubjectRecord>;
  /** The evidence of one sign, or of one counter of a sign. */
  evidence(place: number): Key<Evidence>;
}

/** Names records. Nothing leaves here in clear. */
export interface SubjectKeyspace {
  /** Every record begins with this. */
  readonly prefix: string;
  keysOf(kind: SignKey, who: string): SubjectKeys;
}

const remembered = 16_384;
const longestRemembered = 512;

const letterOf: Readonly<Record<SignKey, string>> = {
  client: 'C',
  user: 'U',
  network: 'N',
  range: 'R',
  headers: 'H',
  fingerprint: 'F',
};

/**
 * @param places names of the evidence of each place; a place keeps its name when others come or go
 * @throws Fault `CONFIG_INVALID` when a secret has fewer than 16 bytes, or both are the same.
 */
export function createSubjectKeyspace(
  environment: string,
  name: string,
  secrets: Secrets,
  places: readonly string[],
): SubjectKeyspace {
  const { prefix } = new Keyspace(environment, `abuse.${name}`);
  const hash = createHmacText(secrets.secret);
  const hashBefore =
    secrets.previousSecret === undefined ? null : createHmacText(secrets.previousSecret, 'previousSecret');
  if (hashBefore !== null && hashBefore('') === hash('')) {
    throw new Fault('CONFIG_INVALID', 'secret and previousSecret are the same: there is nothing to rotate.');
  }
  const subjects = new Recent<SubjectKeys>(remembered, longestRemembered);
  return {
    prefix,
    keysOf(kind, who) {
      const message = `${kind}\0${who}`;
      const known = subjects.get(message);
      if (known !== undefined) return known;
      const start = `${prefix}${letterOf[kind]}:{`;
      const made = new NamedSubject(
        `${start}${hash(message)}}`,
        hashBefore === null ? null : `${start}${hashBefore(message)}}`,
        places,
      );
      subjects.set(message, made);
      return made;
    },
  };
}

/** Composing a key costs more than most steps, so those of a subject are kept with it. */
class NamedSubject implements SubjectKeys {
  readonly subject: Key<SubjectRecord>;
  readonly #text: string;
  readonly #was: string | null;
  readonly #places: readonly string[];
  readonly #evidence: (Key<Evidence> | undefined)[] = [];

  constructor(text: string, was: string | null, places: readonly string[]) {
    this.#text = text;
    this.#was = was;
    this.#places = places;
    this.subject = { text, was };
  }

  evidence(place: number): Key<Evidence> {
    const known = this.#evidence[place];
    if (known !== undefined) return known;
    const name = this.#places[place] ?? '';
    const made = {
      text: `${this.#text}:${name}`,
      was: this.#was === null ? null : `${this.#was}:${name}`,
    };
    this.#evidence[place] = made;
    return made;
  }
}
