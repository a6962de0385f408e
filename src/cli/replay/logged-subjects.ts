import type { Subject, Token } from '../../core/subject.ts';
import { Recent } from '../../identity/recent.ts';
import type { LoggedHashes } from './logged-line.ts';

const LONGEST_HASH = 64;

/** Subjects of hashes that were made elsewhere. Tokens are remembered: keys composed of them are kept with them. */
export class LoggedSubjects {
  readonly #accounts: Recent<Token>;
  readonly #networks: Recent<Token>;
  readonly #prefixes: Recent<Token>;
  readonly #agents: Recent<Token>;
  readonly #devices: Recent<Token>;

  /** @param remembered how many of each part are, at least */
  constructor(remembered: number) {
    const recent = () => new Recent<Token>(remembered, LONGEST_HASH);
    this.#accounts = recent();
    this.#networks = recent();
    this.#prefixes = recent();
    this.#agents = recent();
    this.#devices = recent();
  }

  of({ account, network, prefixes, agent, otherAgent, device, confidence }: LoggedHashes): Subject {
    return {
      account: account === null ? null : tokenOf(this.#accounts, account),
      network: tokenOf(this.#networks, network),
      agent: tokenOf(this.#agents, agent),
      otherAgent: tokenOf(this.#agents, otherAgent),
      device:
        device === null || confidence === null ? null : { token: tokenOf(this.#devices, device), confidence },
      macros: prefixes && {
        p48: tokenOf(this.#prefixes, prefixes[0]),
        p40: tokenOf(this.#prefixes, prefixes[1]),
        p32: tokenOf(this.#prefixes, prefixes[2]),
      },
    };
  }
}

function tokenOf(known: Recent<Token>, hash: string): Token {
  const found = known.get(hash);
  if (found !== undefined) return found;
  const token: Token = { hash, was: null };
  known.set(hash, token);
  return token;
}
