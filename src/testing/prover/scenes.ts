import type { CredentialPolicy, RatePolicy } from '../../core/policy.ts';
import { isLetThrough } from '../../guard/attempt.ts';
import { type Act, call, guess, owner, raced } from './cast.ts';
import { beginning, play, type State } from './play.ts';
import type { ProofEngine } from './proof-engine.ts';

/** Who acts in a part of the search, and where it begins. */
export interface Scene {
  readonly name: string;
  readonly acts: readonly Act[];
  /** How many of the coming changes are waited for, besides the last one. */
  readonly changes: number;
  readonly start: State;
}

export const newcomer = guess('a stranger from a new address and device', { ip: 'new', device: 'new' });
export const faceless = guess('a stranger from a new address, without a device', {
  ip: 'new',
  device: 'none',
});
export const regular = guess('a stranger, always the same address and device', { ip: 1, device: 1 });
const facelessRegular = guess('a stranger at one address, without a device', { ip: 1, device: 'none' });
const wanderer = guess('a stranger with one device at new addresses', { ip: 'new', device: 2 });
const passive = guess('a stranger with a device that many share, at new addresses', {
  ip: 'new',
  device: 'passive',
});

/** One account after the other, from one address. */
const spray: Act = {
  ...regular,
  name: 'one account after the other from one address',
  signals: (turn) => ({ ...regular.signals(turn), account: `account ${turn}` }),
};

/** As few as can be, to get deep. */
const strangers: readonly Act[] = [newcomer, faceless, owner('trusted', 'signIn')];

/** On the account: strangers, and the owner who mistypes or signs in. */
const siege: readonly Act[] = [
  newcomer,
  faceless,
  regular,
  raced(newcomer),
  owner('trusted', 'guess'),
  owner('known', 'guess'),
  owner('trusted', 'signIn'),
  owner('known', 'signIn'),
  owner('unknown', 'signIn'),
];

/** On one address and its neighbours: many accounts, many devices. */
const network: readonly Act[] = [
  ...[1, 2, 3, 4, 5].map((index) =>
    guess(`account ${index} from one address`, { account: `account ${index}`, ip: 1, device: 3 }),
  ),
  facelessRegular,
  guess('new devices at one address', { ip: 1, device: 'new' }),
  wanderer,
  passive,
  ...[1, 2, 3, 4, 5].map((index) =>
    guess(`account ${index} from one of two /64`, {
      account: `account ${index}`,
      ip: `2001:db8:2:${index % 2}::1`,
      device: 'none',
    }),
  ),
];

/** Everything that anybody does. */
export const everyAct: readonly [Act, ...Act[]] = [
  newcomer,
  ...siege,
  ...network,
  guess('strangers from new addresses, without devices', { ip: 'new', device: 'none' }, 3),
  guess('strangers from new addresses and devices', { ip: 'new', device: 'new' }, 3),
];

/** The owner has signed in before, on a trusted and on a known device. */
export function settledIn(engine: ProofEngine, action: string): State {
  const trusted = play(engine, action, beginning, owner('trusted', 'signIn'), beginning.t).state;
  return play(engine, action, trusted, owner('known', 'signIn'), beginning.t).state;
}

/** The scenes of a policy. Several begin late, when much has been counted already: no short search gets there. */
export function scenesOf(engine: ProofEngine, action: string, policy: CredentialPolicy): readonly Scene[] {
  const { budget, score, ladder, correlation } = policy;
  const start = settledIn(engine, action);
  const drip = (act: Act, times: number, everyMs: number, from = start) =>
    repeat(engine, action, from, act, times, everyMs);
  const nearBudget = drip(faceless, Math.min(budget.threshold, MOST_REPEATS) - 1, score.missingDeviceAgainMs);
  const inBudget = drip(faceless, 2, score.missingDeviceAgainMs, nearBudget);
  const climbed = drip(faceless, 3 + ladder.maxLevel, 1);
  const graceUsed = drip(owner('known', 'guess'), FREE_FAILURES, 2 * score.decayMs.accountDevice);
  const rotated = drip(newcomer, 8, correlation.rotation.windowMs / 4);
  const sprayed = drip(spray, Math.min(MOST_REPEATS, SPRAYS * (correlation.spray?.count ?? 0)), 1);
  return [
    { name: 'strangers at an account', acts: strangers, changes: 2, start },
    { name: 'siege of an account', acts: siege, changes: 3, start },
    { name: 'one address, many accounts', acts: network, changes: 1, start },
    { name: 'one failure before the budget', acts: siege, changes: 3, start: nearBudget },
    { name: 'while the budget is active', acts: siege, changes: 3, start: inBudget },
    { name: 'high on the ladder', acts: siege, changes: 3, start: climbed },
    { name: 'after the free failures', acts: siege, changes: 3, start: graceUsed },
    { name: 'while devices rotate', acts: siege, changes: 3, start: rotated },
    { name: 'after sprays from one address', acts: network, changes: 1, start: sprayed },
  ];
}

/** Calls at one address, as many at once as the limits need to speak. */
export function callScene({ limits }: RatePolicy): Scene {
  const cost = Math.min(limits.minor, limits.moderate, limits.severe);
  const acts = [
    call('calls of one device', { ip: 1, device: 1 }, cost, 2),
    call('calls without a device', { ip: 1, device: 'none' }, cost, 2),
    call('calls of a device that many share', { ip: 1, device: 'passive' }, cost, 2),
    call('calls of new devices', { ip: 1, device: 'new' }, 1, 1),
    call('calls from IPv6', { ip: '2001:db8:2:1::1', device: 1 }, cost, 2),
  ];
  return { name: 'calls at one address', acts, changes: 2, start: beginning };
}

const MOST_REPEATS = 60;
const FREE_FAILURES = 9;
const SPRAYS = 5;

/** The same act again and again, after each denial as soon as it is let through. */
export function repeat(
  engine: ProofEngine,
  action: string,
  from: State,
  act: Act,
  times: number,
  everyMs: number,
): State {
  let state = from;
  let t = from.t;
  for (let time = 0; time < times; time += 1) {
    t += time === 0 ? 0 : everyMs;
    const checked = engine.perform(
      state.records,
      'check',
      { ...act.signals(state.turn), action },
      t,
    ).decision;
    if (!isLetThrough(checked)) t = checked.until;
    state = play(engine, action, state, act, t).state;
  }
  return state;
}
