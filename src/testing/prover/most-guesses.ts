import { DAY_MS } from '../../core/duration.ts';
import type { CredentialPolicy, LadderPolicy } from '../../core/policy.ts';
import { remembered, type Standing } from '../../core/standing.ts';
import { countWithin } from '../../core/times.ts';
import { accountKind, knownDeviceOf, victimIn } from './account-kind.ts';
import { boundariesOf } from './boundaries.ts';
import { type Act, guess, owner } from './cast.ts';
import { climb } from './layered-beam.ts';
import { play, type State, type Trail } from './play.ts';
import type { ProofEngine } from './proof-engine.ts';
import { faceless, newcomer, regular, settledIn } from './scenes.ts';

/** What a guesser has at hand. */
export interface Strategy {
  readonly id: string;
  readonly says: string;
  readonly acts: readonly Act[];
}

const tenAddresses = (device: 'new' | 'none'): Act => {
  const one = guess(`ten addresses in turn, ${device === 'new' ? 'new devices' : 'no device'}`, {
    ip: 1,
    device,
  });
  return { ...one, signals: (turn) => ({ ...one.signals(turn), ip: `203.0.1.${turn % 10}` }) };
};

/** Every strategy may also wait as long as it likes, for decay, for windows and for the end of blocks. */
export const strategies: readonly Strategy[] = [
  { id: 'one-device', says: 'one address and one device', acts: [regular] },
  {
    id: 'one-address',
    says: 'one address, any devices',
    acts: [
      regular,
      guess('one address, no device', { ip: 1, device: 'none' }),
      guess('one address, new device', { ip: 1, device: 'new' }),
    ],
  },
  {
    id: 'ten-addresses',
    says: 'ten addresses, any devices',
    acts: [tenAddresses('new'), tenAddresses('none')],
  },
  {
    id: 'ipv6',
    says: 'all of an IPv6 /48, any devices',
    acts: [
      guess('new /64, new device', { ip: 'new /64', device: 'new' }),
      guess('new /64, no device', { ip: 'new /64', device: 'none' }),
    ],
  },
  { id: 'rotation', says: 'any addresses, a new device each time', acts: [newcomer] },
  { id: 'no-device', says: 'any addresses, never a device', acts: [faceless] },
  { id: 'anything', says: 'any addresses, any devices', acts: [newcomer, faceless] },
  {
    id: 'known-device',
    says: 'any addresses, and a known device of the owner’s',
    acts: [
      newcomer,
      faceless,
      { ...owner('known', 'guess'), name: 'on the owner’s known device', by: 'stranger' },
    ],
  },
];

export interface MostGuesses {
  readonly strategy: Strategy;
  /** Wrong credentials that were looked at within the time. */
  readonly guesses: number;
  readonly trail: Trail | null;
}

export interface GuessSearch {
  readonly engine: ProofEngine;
  readonly policy: CredentialPolicy;
  readonly action: string;
  readonly width: number;
  /** Within this time. Default a day. */
  readonly withinMs?: number;
  /** A search that has found this many need not go on. Default 2000, more than any policy that protects gives. */
  readonly enough?: number;
  readonly isOver: () => boolean;
}

/** The most guesses on one account that a strategy was found to get. */
export function mostGuesses(strategy: Strategy, search: GuessSearch): MostGuesses {
  const { engine, policy, action, width, withinMs = DAY_MS, enough = ENOUGH, isOver } = search;
  const start = settledIn(engine, action);
  const hasKnown = strategy.id === 'known-device';
  let most: MostGuesses = { strategy, guesses: 0, trail: null };
  const layers = climb<State>({
    start,
    width,
    isOver,
    bucketOf: (state) => accountKind(state, policy),
    rank: (state) => paceOf(state, policy, hasKnown),
    *expand(state) {
      for (const t of [state.t, ...boundariesOf(state.records, state.t, policy)]) {
        if (t >= start.t + withinMs) break;
        for (const act of strategy.acts) {
          const played = play(engine, action, state, act, t);
          if (played.verified > 0) yield { to: played.state, up: played.verified };
        }
      }
    },
  });
  for (const { layer, candidates } of layers) {
    const [best] = candidates;
    if (best !== undefined) most = { strategy, guesses: layer, trail: best.trail };
    if (layer >= enough) break;
  }
  return most;
}

const ENOUGH = 2_000;

/** A way to guess: how long it is still held up, and how long it takes from one guess to the next. */
interface Channel {
  readonly heldUpMs: number;
  readonly everyMs: number;
}

/**
 * When the account will have forgotten what it holds against the guesser: earlier is better. With a new device, without one
 * and on a known one are three ways to guess; what holds one of them up counts by its share in the pace of all.
 */
export function paceOf({ records, t }: State, policy: CredentialPolicy, hasKnown = false): number {
  const { score, ladder, correlation } = policy;
  const account = victimIn(records);
  if (account === undefined) return t;
  const { standing, missingAt, softs } = account;
  const again = score.missingDeviceAgainMs;
  const isSlow = remembered(standing, t, ladder) >= 2;
  const slowMs = isSlow ? (ladder.memoryMs[1] ?? 0) / 2 : 0;
  const probedMs = (countWithin(softs, t, correlation.equilibrium.windowMs) * ladder.decayPauseMs) / 2;
  const channels: Channel[] = [
    channelOf(standing, score.newDevice, score.decayMs.account, t),
    { heldUpMs: slowMs + probedMs, everyMs: score.newDevice * score.decayMs.account },
    { heldUpMs: missingAt === null ? 0 : Math.max(0, missingAt + again - t), everyMs: again },
  ];
  const known = hasKnown ? knownDeviceOf(account)?.standing : undefined;
  if (known !== undefined) channels.push(channelOf(known, score.knownDevice, score.decayMs.accountDevice, t));
  const pace = (channel: Channel) => 1 / Math.max(1, channel.everyMs);
  const whole = channels.reduce((sum, channel) => sum + pace(channel), 0) - pace(channels[1] ?? noChannel);
  const heldUp = channels.reduce((sum, channel) => sum + channel.heldUpMs * pace(channel), 0) / whole;
  return t + Math.max(0, standing.hardUntil - t) + heldUp;
}

const noChannel: Channel = { heldUpMs: 0, everyMs: 1 };

function channelOf(standing: Standing, delta: number, decayMs: number, t: number): Channel {
  const heldUpMs = standing.score * decayMs - Math.min(decayMs, t - standing.scoreAt);
  return { heldUpMs, everyMs: delta * decayMs };
}

/**
 * No strategy without a device of the owner's gets more than this; null where the argument does not hold.
 *
 * A guess without a device is free once per `missingDeviceAgainMs`. Every other one raises the account's score by `cheapest`
 * at least, so there are at most (points forgotten + score at the end) / `cheapest` of them. A point is forgotten per
 * interval. The score stays below `severeFrom`, but for guesses that are answered by an ever higher level: one for each
 * level, and at the top one per block. To wait until a level is forgotten instead is no gain as long as a block and its
 * memory take longer than the points of one guess take to decay.
 */
export function guessBound({ score, ladder }: CredentialPolicy, withinMs = DAY_MS): number | null {
  const cheapest = Math.min(score.newDevice, score.missingDeviceAgain);
  const first = Math.min(3, ladder.maxLevel);
  const cycles = ladder.durationsMs.map((ms, index) => ms + (ladder.memoryMs[index] ?? 0));
  const isSlow = cycles.slice(first - 1).every((ms) => ms >= cheapest * score.decayMs.account);
  if (cheapest === 0 || !isSlow) return null;
  const free = Math.ceil(withinMs / score.missingDeviceAgainMs);
  const forgotten = Math.floor(withinMs / score.decayMs.account);
  const paid = Math.floor((forgotten + score.severeFrom - 1) / cheapest);
  return free + paid + severeGuesses(ladder, first, withinMs);
}

/** Guesses that are answered by one level after the other, and then by the highest again and again. */
function severeGuesses({ durationsMs, maxLevel }: LadderPolicy, first: number, withinMs: number): number {
  let count = 0;
  for (let sinceMs = 0, level = first; sinceMs < withinMs; level = Math.min(level + 1, maxLevel)) {
    count += 1;
    sinceMs += durationsMs[level - 1] ?? withinMs;
  }
  return count;
}
