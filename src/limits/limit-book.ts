import { Fault } from '../core/fault.ts';
import { assertOptions, type OptionKinds } from '../core/options.ts';
import { AddressRanges, addressOf } from '../identity/address-ranges.ts';
import {
  type Allowance,
  defaultLimit,
  type Limit,
  limitBounds,
  limitKinds,
  toAllowance,
} from './allowance.ts';
import type { Call } from './call.ts';
import type { LimiterOptions, LimitOverride } from './limiter-options.ts';

const anonymousShare = 0.25;
const overrideKinds: OptionKinds<LimitOverride> = { ...limitKinds, user: 'text', cidr: 'checked' };

/** Finds the limit of a call. */
export class LimitBook {
  readonly #signedIn: Allowance;
  readonly #anonymous: Allowance;
  readonly #users = new Map<string, Allowance>();
  readonly #ranges = new AddressRanges<Allowance>();
  readonly #limitFor: LimiterOptions['limitFor'];
  readonly #given = new WeakMap<Limit, Allowance>();

  /** @throws Fault `CONFIG_INVALID` when a limit is out of range or an override is for nobody. */
  constructor(options: LimiterOptions) {
    const { ratePerSecond = defaultLimit.ratePerSecond, burst, anonymous = {}, overrides = [] } = options;
    assertOptions('anonymous', anonymous, limitKinds);
    this.#signedIn = toAllowance('limiter', { ratePerSecond, burst });
    this.#anonymous = toAllowance('anonymous', anonymousLimit({ ratePerSecond, burst }, anonymous));
    this.#limitFor = options.limitFor;
    overrides.forEach((override, index) => {
      this.#addOverride(`overrides[${index}]`, override);
    });
  }

  find(call: Call): Allowance {
    const given = this.#limitFor?.(call);
    if (given) return this.#compiled(given);
    const own = call.user && this.#users.size > 0 ? this.#users.get(call.user) : undefined;
    if (own !== undefined) return own;
    if (!this.#ranges.isEmpty) {
      const address = addressOf(call.ip);
      const found = address === null ? undefined : this.#ranges.find(address);
      if (found !== undefined) return found;
    }
    return call.user ? this.#signedIn : this.#anonymous;
  }

  #addOverride(name: string, override: LimitOverride): void {
    assertOptions(name, override, overrideKinds);
    const { user, cidr, ...limit } = override;
    if ((user === undefined) === (cidr === undefined)) {
      throw new Fault('CONFIG_INVALID', `${name} must have either a user or a cidr`);
    }
    const allowance = toAllowance(name, limit);
    if (user !== undefined) this.#addUser(`${name}.user`, user, allowance);
    if (cidr !== undefined) this.#ranges.add(`${name}.cidr`, cidr, allowance);
  }

  /** Of ranges that overlap the first wins; of two limits for one user, nobody would know which is meant. */
  #addUser(name: string, user: string, allowance: Allowance): void {
    if (this.#users.has(user)) {
      throw new Fault('CONFIG_INVALID', `${name} has an override already: a user has one at most`);
    }
    this.#users.set(user, allowance);
  }

  #compiled(limit: Limit): Allowance {
    const known = this.#given.get(limit);
    if (known !== undefined) return known;
    const allowance = toAllowance('limitFor', limit);
    this.#given.set(limit, allowance);
    return allowance;
  }
}

/** The limit of whoever is not signed in: a quarter of the signed-in rate, where there is a rate that low, and the same burst. */
export function anonymousLimit(signedIn: Limit, given: Partial<Limit> = {}): Limit {
  const share = Math.max(limitBounds.leastRate, signedIn.ratePerSecond * anonymousShare);
  return { ratePerSecond: given.ratePerSecond ?? share, burst: given.burst ?? signedIn.burst };
}
