import { Resolver } from 'node:dns/promises';
import { assertWhole } from '../core/amounts.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/duration.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import { assertOptions, type OptionKinds } from '../core/options.ts';
import { addressOf } from '../identity/address-ranges.ts';
import { Recent } from '../identity/recent.ts';
import type { RequestCall } from './request-event.ts';

/** Tells who is a search engine that may read as much as it likes. */
export interface BotVerifier {
  /** Whether this caller has been verified. Answers from memory. */
  isVerified(call: RequestCall): boolean;
  /** The same, finding it out where it is not known yet. Never rejects; whoever cannot be verified is not. */
  verify(call: RequestCall): Promise<boolean>;
}

/** A search engine: what it says it is, and where its names end. */
export interface GoodBot {
  /** A part of its `User-Agent`, without regard to case. */
  readonly agent: string;
  /** Domains that its addresses have names in. */
  readonly domains: readonly string[];
}

/** As the search engines publish them. */
export const knownBots: readonly GoodBot[] = [
  { agent: 'googlebot', domains: ['googlebot.com', 'google.com'] },
  { agent: 'bingbot', domains: ['search.msn.com'] },
  { agent: 'applebot', domains: ['applebot.apple.com'] },
  { agent: 'yandex', domains: ['yandex.ru', 'yandex.net', 'yandex.com'] },
  { agent: 'baiduspider', domains: ['baidu.com', 'baidu.jp'] },
];

/** Looks names up. Node's `dns.promises.Resolver` is one. */
export interface NameResolver {
  /** Names of an address. Rejects when there are none. */
  reverse(ip: string): Promise<readonly string[]>;
  resolve4(name: string): Promise<readonly string[]>;
  resolve6(name: string): Promise<readonly string[]>;
}

export interface BotVerifierOptions {
  /** Default: {@link knownBots}. */
  readonly bots?: readonly GoodBot[] | undefined;
  /** Default: the name servers of the system, 2 s, one try. */
  readonly resolver?: NameResolver | undefined;
  /** Addresses that are looked up at once, 1 to 1000; whoever comes meanwhile is not verified. Default 16. */
  readonly mostPending?: number | undefined;
  /** Time in ms. Default `Date.now`. */
  readonly clock?: (() => number) | undefined;
}

const optionKinds: OptionKinds<BotVerifierOptions> = {
  bots: 'list',
  resolver: 'object',
  mostPending: 'checked',
  clock: 'function',
};
const botKinds: OptionKinds<GoodBot> = { agent: 'checked', domains: 'checked' };

interface Known {
  readonly good: boolean;
  readonly until: number;
}

const remembered = 4_096;
const longestAddress = 64;
const goodForMs = 24 * HOUR_MS;
/** A name server that failed, or a name that is not there yet, is asked again soon. */
const badForMs = 10 * MINUTE_MS;
const mostNames = 4;

/**
 * Verifies search engines as they ask to be: the address must have a name in their domain, and that name must lead back
 * to the address, for anybody may name their addresses as they like. Only who says to be one is looked up, each address once
 * for a while; both what is remembered and what is under way are bounded.
 *
 * @throws Fault `CONFIG_INVALID` when a bot or a bound is not well formed.
 */
export function createBotVerifier(options: BotVerifierOptions = {}): BotVerifier {
  assertOptions('a bot verifier', options, optionKinds);
  const { bots = knownBots, mostPending = 16, clock = () => Date.now() } = options;
  assertWhole('CONFIG_INVALID', 'mostPending', mostPending, 1, 1_000);
  bots.forEach((bot, index) => {
    assertBot(`bots[${index}]`, bot);
  });
  const resolver = options.resolver ?? new Resolver({ timeout: 2 * SECOND_MS, tries: 1 });
  const claims = bots.map(({ agent, domains }) => ({
    agent: agent.toLowerCase(),
    endings: domains.map((domain) => `.${domain.toLowerCase()}`),
  }));
  const known = new Recent<Known>(remembered, longestAddress);
  const pending = new Map<string, Promise<boolean>>();

  function claimOf({ ua }: RequestCall) {
    if (!ua) return undefined;
    const text = ua.toLowerCase();
    return claims.find(({ agent }) => text.includes(agent));
  }

  function recall(ip: string): boolean | null {
    const found = known.get(ip);
    return found !== undefined && clock() < found.until ? found.good : null;
  }

  async function lookUp(ip: string, endings: readonly string[]): Promise<boolean> {
    const good = await isNamedWithin(resolver, ip, endings);
    known.set(ip, { good, until: clock() + (good ? goodForMs : badForMs) });
    return good;
  }

  return {
    isVerified(call) {
      const ip = claimOf(call) === undefined ? null : addressOf(call.ip);
      return ip !== null && recall(ip) === true;
    },
    async verify(call) {
      const claim = claimOf(call);
      // Name servers know an IPv4 address by that, however a socket writes it.
      const ip = claim === undefined ? null : addressOf(call.ip);
      if (claim === undefined || ip === null) return false;
      const recalled = recall(ip);
      if (recalled !== null) return recalled;
      const under = pending.get(ip);
      if (under !== undefined) return under;
      if (pending.size >= mostPending) return false;
      const looking = lookUp(ip, claim.endings).finally(() => pending.delete(ip));
      pending.set(ip, looking);
      return looking;
    },
  };
}

/** One that has no domain is never verified, and one with an empty one is whoever says so. */
function assertBot(place: string, bot: GoodBot): void {
  assertOptions(place, bot, botKinds);
  const { agent, domains } = bot;
  if (typeof agent !== 'string' || agent === '') {
    throw new Fault(
      'CONFIG_INVALID',
      `${place}.agent must be a text that is not empty, got ${shapeOf(agent)}`,
    );
  }
  if (Array.isArray(domains) && domains.every((domain) => typeof domain === 'string' && domain !== ''))
    return;
  throw new Fault(
    'CONFIG_INVALID',
    `${place}.domains must be a list of texts that are not empty, got ${shapeOf(domains)}`,
  );
}

/** A name server that fails verifies nobody. */
async function isNamedWithin(
  resolver: NameResolver,
  ip: string,
  endings: readonly string[],
): Promise<boolean> {
  const names = await orNone(resolver.reverse(ip));
  const own = names.slice(0, mostNames).map((name) => name.toLowerCase().replace(/\.$/, ''));
  for (const name of own.filter((text) => endings.some((ending) => text.endsWith(ending)))) {
    const found = await orNone(ip.includes(':') ? resolver.resolve6(name) : resolver.resolve4(name));
    if (found.some((address) => addressOf(address) === ip)) return true;
  }
  return false;
}

async function orNone(names: Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await names;
  } catch {
    return [];
  }
}
