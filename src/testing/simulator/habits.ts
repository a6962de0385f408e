import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/duration.ts';
import type { Confidence } from '../../core/subject.ts';
import type { Random } from '../random.ts';
import type { ActorDevice, ActorPlan } from './scenario.ts';

/** The pace of a world: how much of everything there is, and how far apart. */
export interface Pace {
  readonly durationMs: number;
  readonly accounts: number;
  /** Roughly the time between two moves of an actor. */
  readonly moveMs: number;
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const account = (index: number): string => `account-${index}`;
const v4 = (index: number): string => `203.0.${113 + (index >> 8)}.${index & 255}`;
const browser = (index: number): string => `Mozilla/5.0 (X11; Linux) Gecko/20100101 Firefox/${100 + index}.0`;
const device = (id: string, confidence: Confidence): ActorDevice => ({ id: `device-${id}`, confidence });

/** Addresses of one /48, each in a /64 of its own, or of several. */
const v6 = (index: number, networks: number, prefix: number): string =>
  `2001:db8:${prefix.toString(16)}:${(index % networks).toString(16)}::${index.toString(16)}`;

const confidences = ['LOW', 'MEDIUM', 'HIGH'] as const;

/** Somebody ordinary; habits change what is special about them. */
function ordinary(role: string, random: Random, pace: Pace): ActorPlan {
  return {
    role,
    action: 'auth.login',
    startMs: random.between(0, Math.floor(pace.durationMs / 3)),
    moves: random.between(5, 40),
    parallel: 1,
    everyMs: random.between(SECOND_MS, pace.moveMs),
    movesPerRound: 1_000,
    restMs: 0,
    accounts: [account(random.between(0, pace.accounts - 1))],
    ips: [v4(random.between(0, 3))],
    agents: [browser(random.between(0, 2))],
    devices: [null],
    stay: { account: 1, ip: 1, agent: 1, device: 1 },
    rightShare: 0,
    obeys: random.chance(0.5),
    isChecked: random.chance(0.9),
    strayShare: random.chance(0.3) ? 0.5 : 0,
  };
}

type Habit = (random: Random, pace: Pace) => ActorPlan;

/** Signs in from a device of theirs, mostly right; now and then from another. */
const owner: Habit = (random, pace) => {
  const index = random.between(0, pace.accounts - 1);
  const own = [device(`own-${index}-a`, 'HIGH'), device(`own-${index}-b`, 'MEDIUM')];
  return {
    ...ordinary('owner', random, pace),
    startMs: 0,
    moves: random.between(10, 40),
    everyMs: random.between(pace.moveMs, 3 * pace.moveMs),
    accounts: [account(index)],
    ips: [v4(10 + index), v4(random.between(0, 3))],
    devices: random.chance(0.7) ? own : [...own, device(`borrowed-${index}`, random.pick(confidences)), null],
    stay: { account: 1, ip: 3, agent: 5, device: random.between(1, 4) },
    rightShare: random.pick([0.6, 0.9, 1]),
    obeys: true,
  };
};

/** Guesses one account, hiding as well as it can. */
const guesser: Habit = (random, pace) => ({
  ...ordinary('guesser', random, pace),
  action: random.pick(['auth.login', 'auth.login', 'auth.otp']),
  moves: random.between(20, 60),
  ips: times(random.pick([1, 1, 4, 30]), (index) => v4(40 + index)),
  devices: random.pick<(ActorDevice | null)[]>([
    [null],
    [device('fixed', random.pick(confidences))],
    times(random.between(3, 20), (index) => device(`worn-${index}`, random.pick(confidences))),
    [null, device('mixed', 'MEDIUM')],
  ]),
  stay: { account: 1, ip: random.between(1, 4), agent: 7, device: random.between(1, 6) },
});

/** Guesses slowly enough to be forgotten between guesses. */
const patient: Habit = (random, pace) => ({
  ...guesser(random, pace),
  role: 'patient guesser',
  everyMs: random.between(8 * MINUTE_MS, Math.max(9 * MINUTE_MS, pace.moveMs)),
  moves: 60,
  obeys: true,
});

/** One password, many accounts, one network. */
const sprayer: Habit = (random, pace) => ({
  ...ordinary('sprayer', random, pace),
  moves: random.between(20, 50),
  accounts: times(random.between(4, 30), (index) => account(index)),
  devices: random.pick<(ActorDevice | null)[]>([
    [null],
    [device('spray', 'LOW')],
    [device('spray', 'MEDIUM')],
  ]),
  stay: { account: random.between(1, 3), ip: 1, agent: 1, device: 1 },
});

/** The same over the prefixes of a provider. */
const prefixSprayer: Habit = (random, pace) => {
  const networks = random.pick([2, 8, 40]);
  const prefixes = random.pick([1, 5, 40]);
  return {
    ...ordinary('prefix sprayer', random, pace),
    moves: random.between(30, 100),
    everyMs: random.between(SECOND_MS, 10 * SECOND_MS),
    accounts: times(random.between(10, 100), (index) => account(index)),
    ips: times(networks * 3, (index) => v6(index, networks, 0x100 + (index % prefixes) * 0x40)),
    devices: [null],
  };
};

/** Goes to one below a threshold, waits until it is forgotten, comes again. */
const hoverer: Habit = (random, pace) => ({
  ...ordinary('hoverer', random, pace),
  moves: 24,
  everyMs: 2 * SECOND_MS,
  movesPerRound: random.pick([3, 4, 5]),
  restMs: pace.durationMs > DAY_MS ? random.between(3, 6) * HOUR_MS : random.between(9, 16) * MINUTE_MS,
  ...random.pick<Partial<ActorPlan>>([
    { accounts: times(8, (index) => account(index)) },
    {
      devices: times(24, (index) => device(`hover-${index}`, 'MEDIUM')),
      ips: times(24, (index) => v4(80 + index)),
    },
    { devices: times(24, (index) => device(`hover-${index}`, 'LOW')) },
    { devices: [device('hover', 'MEDIUM')], ips: times(24, (index) => v4(80 + index)) },
  ]),
});

/** Very many guesses at once, before any of them can count. */
const parallel: Habit = (random, pace) => ({
  ...guesser(random, pace),
  role: 'parallel guesser',
  moves: random.between(2, 5),
  parallel: random.between(5, 25),
  everyMs: random.between(MINUTE_MS, 5 * MINUTE_MS),
  rightShare: 0.05,
  isChecked: true,
});

/** Shows a new agent and a new device with every attempt, from one network. */
const masquerader: Habit = (random, pace) => ({
  ...ordinary('masquerader', random, pace),
  moves: random.between(60, 110),
  everyMs: random.between(SECOND_MS, 8 * SECOND_MS),
  accounts: times(4, (index) => account(index)),
  agents: times(80, (index) => browser(10 + index)),
  devices: times(80, (index) => device(`mask-${index}`, random.pick(confidences))),
  stay: { account: random.between(10, 40), ip: 1, agent: 1, device: 1 },
  rightShare: random.pick([0, 0.3]),
});

/** Wears out one agent after the other, until its network has shown too many. */
const spender: Habit = (random, pace) => ({
  ...masquerader(random, pace),
  role: 'spender',
  moves: random.between(150, 200),
  everyMs: random.between(200, 600),
  accounts: times(3, (index) => account(index)),
  devices: [null],
  stay: { account: 20, ip: 1, agent: 3, device: 1 },
  rightShare: 0,
  obeys: false,
  isChecked: false,
});

/** Calls an api, politely or not. */
const caller: Habit = (random, pace) => ({
  ...ordinary('caller', random, pace),
  action: 'api.heavy',
  accounts: random.chance(0.3) ? [account(0)] : [],
  moves: random.between(5, 25),
  parallel: random.between(1, 30),
  everyMs: random.between(SECOND_MS, 20 * SECOND_MS),
  agents: times(random.pick([1, 3]), (index) => browser(index)),
  devices: random.pick<(ActorDevice | null)[]>([[null], [device('client', random.pick(confidences))]]),
  stay: { account: 1, ip: 1, agent: 40, device: 1 },
});

/** Uses up an account's codes, so that its owner fails next. */
const preloader: Habit = (random, pace) => ({
  ...ordinary('preloader', random, pace),
  action: 'auth.otp',
  moves: random.between(9, 25),
  everyMs: random.between(5 * MINUTE_MS, Math.max(6 * MINUTE_MS, pace.moveMs)),
  devices: times(3, (index) => device(`own-0-${'abc'[index]}`, random.pick(confidences))),
  rightShare: random.pick([0, 0.1]),
  obeys: true,
});

/** Many people who come just when something goes wrong: without them nobody would notice. */
export function crowd(random: Random, pace: Pace, startMs: number, action: string): ActorPlan {
  return {
    ...ordinary('crowd', random, pace),
    action,
    startMs,
    moves: random.between(4, 12),
    everyMs: random.between(200, 2 * SECOND_MS),
    accounts: times(random.between(1, 12), (index) => account(100 + index)),
    ips: times(random.between(1, 12), (index) => v4(150 + index)),
    rightShare: 0.7,
    obeys: false,
  };
}

export const habits: readonly [Habit, ...Habit[]] = [
  owner,
  guesser,
  patient,
  sprayer,
  prefixSprayer,
  hoverer,
  parallel,
  masquerader,
  spender,
  caller,
  preloader,
];

export const ownerHabit: Habit = owner;
