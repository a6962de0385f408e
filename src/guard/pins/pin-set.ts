import type { Rule } from '../../core/decision.ts';
import type { Token } from '../../core/subject.ts';
import type { Identifier } from '../../identity/identifier.ts';
import type { Pin } from './pin.ts';

/** Whom a call comes from, as a limiter knows it. */
export interface PinnedCall {
  readonly ip: string;
  readonly user?: string | null | undefined;
}

/** A limit as a limiter takes it. */
export interface PinnedLimit {
  readonly ratePerSecond: number;
  readonly burst: number | undefined;
}

type LimitPin = Extract<Pin, { kind: 'limit' }>;

interface CompiledLimit {
  readonly until: number;
  readonly limit: PinnedLimit;
}

/**
 * The pins that a node goes by. What has ended by the time it is asked for counts no more, whether or not the pins were
 * read again since.
 */
export class PinSet {
  readonly #pins: readonly Pin[];
  readonly #limits = new Map<string, CompiledLimit>();
  readonly #hasUsers: boolean;
  readonly #hasNetworks: boolean;
  readonly #hasShadows: boolean;
  readonly #identifier: Identifier;
  /** Time by the store's clock, in ms. */
  readonly #now: () => number;

  constructor(pins: readonly Pin[], identifier: Identifier, now: () => number) {
    this.#pins = pins;
    this.#identifier = identifier;
    this.#now = now;
    const limits = pins.filter((pin): pin is LimitPin => pin.kind === 'limit');
    for (const { id, until, ratePerSecond, burst } of limits) {
      this.#limits.set(id, { until, limit: Object.freeze({ ratePerSecond, burst: burst ?? undefined }) });
    }
    this.#hasUsers = limits.some((pin) => pin.for === 'user');
    this.#hasShadows = pins.some(({ kind }) => kind === 'shadow');
    this.#hasNetworks = limits.some((pin) => pin.for === 'network');
  }

  /** The pins that run. */
  all(): readonly Pin[] {
    const now = this.#now();
    return this.#pins.filter(({ until }) => until > now);
  }

  /** For `createLimiter`'s `limitFor`: a pin for the user, else for its network, else for everybody of its kind. */
  limitFor(call: PinnedCall): PinnedLimit | null {
    if (this.#limits.size === 0) return null;
    return (
      this.#ofUser(call) ??
      this.#ofNetwork(call) ??
      this.#running(`limit:${call.user ? 'signedIn' : 'anonymous'}`)
    );
  }

  /** What an operator wants of a policy while the store is away; null where nothing is pinned. */
  failureOf(policy: string): 'closed' | 'caps' | null {
    const pin = this.all().find((one) => one.kind === 'failure' && one.policy === policy);
    return pin?.kind === 'failure' ? pin.mode : null;
  }

  isScenarioOff(scenario: string): boolean {
    return this.all().some((pin) => pin.kind === 'scenario' && pin.scenario === scenario);
  }

  /** Rules of a policy that run in shadow: those of the configuration and those of pins. Asked with every decision. */
  shadowOf(policy: string, configured: readonly Rule[] = []): readonly Rule[] {
    if (!this.#hasShadows) return configured;
    const pinned = this.all().flatMap((pin) =>
      pin.kind === 'shadow' && pin.policy === policy ? [pin.rule] : [],
    );
    return pinned.length === 0 ? configured : [...new Set([...configured, ...pinned])];
  }

  #ofUser({ user, ip }: PinnedCall): PinnedLimit | null {
    if (!this.#hasUsers || !user) return null;
    return this.#ofToken('user', this.#identifier.identify({ account: user, ip }).account);
  }

  #ofNetwork({ ip }: PinnedCall): PinnedLimit | null {
    return this.#hasNetworks ? this.#ofToken('network', this.#identifier.identify({ ip }).network) : null;
  }

  /** A pin from before a rotation of the secret has the hash of then. */
  #ofToken(kind: 'user' | 'network', token: Token | null): PinnedLimit | null {
    if (token === null) return null;
    const now = this.#running(`limit:${kind}:${token.hash}`);
    return now ?? (token.was === null ? null : this.#running(`limit:${kind}:${token.was}`));
  }

  #running(id: string): PinnedLimit | null {
    const found = this.#limits.get(id);
    return found !== undefined && found.until > this.#now() ? found.limit : null;
  }
}
