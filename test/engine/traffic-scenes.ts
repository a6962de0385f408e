import type { DeviceSignal, TrafficEvent } from './oracle/request.ts';

/** What a stretch of random traffic looks like. Small pools build up state; small steps stay inside the windows. */
export interface Scene {
  readonly name: string;
  readonly actions: Readonly<Partial<Record<'auth.login' | 'auth.otp' | 'api.heavy', number>>>;
  readonly ops: Readonly<Partial<Record<Exclude<TrafficEvent['op'], 'consume'>, number>>>;
  readonly accounts: number;
  /** Devices that come from anywhere, beside the one that each account's owner has. */
  readonly devices: number;
  readonly agents: number;
  /** How often the agent is none, or one that nobody knows. */
  readonly bareAgents: number;
  readonly networks: NetworkPool;
  /** How often the owner's own device is shown. */
  readonly owner: number;
  /** How often no device is shown. */
  readonly missing: number;
  readonly confidences: Readonly<Partial<Record<DeviceSignal['confidence'], number>>>;
  /** The longest steps of time in ms, one of which is chosen for each event. */
  readonly stepsMs: readonly [number, ...number[]];
  /** What `consume` costs. */
  readonly costs: readonly [number, ...number[]];
  /** The spans after which `edges` look for something to happen; all of the contract's unless given. */
  readonly spansMs?: readonly [number, ...number[]];
  /** The first number of its devices, so that phases can have devices of their own. */
  readonly devicesFrom?: number;
  /** After about so many events a pause of at most that long. */
  readonly bursts?: readonly [events: number, pauseMs: number];
  /** How often the next event lies within 1 ms of a time at which something begins or ends. */
  readonly edges: number;
  /** How often time runs backwards. */
  readonly backwards: number;
}

/** IPv4 addresses, and IPv6 networks as a tree: how many /32, /40 in each, /48 in each, /64 in each. */
export interface NetworkPool {
  readonly v4: number;
  /** The last number of the first IPv4 address; 1 unless given. */
  readonly v4From?: number;
  readonly v6?: readonly [p32: number, p40: number, p48: number, p64: number];
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

const usual: Scene = {
  name: 'usual',
  actions: { 'auth.login': 3, 'auth.otp': 2, 'api.heavy': 1 },
  ops: { check: 2, fail: 6, succeed: 1 },
  accounts: 3,
  devices: 6,
  agents: 3,
  bareAgents: 0.3,
  costs: [1, 1, 5, 30, 60, 119, 120],
  networks: { v4: 2, v6: [1, 1, 2, 2] },
  owner: 0.2,
  missing: 0.2,
  confidences: { LOW: 1, MEDIUM: 2, HIGH: 1 },
  stepsMs: [0, 50, second, 30 * second, 5 * minute, 40 * minute],
  edges: 0.3,
  backwards: 0.02,
};

const login = { 'auth.login': 1 };
const otp = { 'auth.otp': 1 };
const quick = [0, 20, second, 6 * second] as const;
const slow = [minute, 10 * minute, 40 * minute, 90 * minute] as const;

const single: readonly Scene[] = [
  usual,
  { ...usual, name: 'crossing', accounts: 1, devices: 3, agents: 2, networks: { v4: 1 }, owner: 0.4 },
  { ...usual, name: 'backwards', backwards: 0.3, edges: 0.5 },
  {
    ...usual,
    name: 'days',
    stepsMs: [minute, hour, 20 * hour, 80 * hour, 40 * 24 * hour],
    accounts: 2,
    owner: 0.5,
    ops: { check: 1, fail: 3, succeed: 1 },
  },
  {
    ...usual,
    name: 'brute',
    actions: { 'auth.login': 2, 'auth.otp': 1 },
    accounts: 1,
    devices: 1,
    owner: 0.5,
    missing: 0.05,
    confidences: { MEDIUM: 1 },
    stepsMs: [second, minute, 6 * minute, 30 * minute],
  },
  { ...usual, name: 'missing', devices: 1, missing: 0.85, agents: 2, networks: { v4: 2 } },
  {
    ...usual,
    name: 'rotation',
    actions: { 'auth.login': 1, 'auth.otp': 1 },
    accounts: 1,
    devices: 9,
    missing: 0,
    owner: 0.05,
    networks: { v4: 9 },
    agents: 9,
    stepsMs: [second, minute, 3 * minute, hour, 3 * hour],
  },
  {
    ...usual,
    name: 'repeated rotation',
    actions: login,
    ops: { fail: 9, check: 1 },
    accounts: 1,
    devices: 14,
    missing: 0,
    owner: 0,
    networks: { v4: 9 },
    stepsMs: [40 * second, 100 * second, 2 * minute],
    bursts: [10, 9 * hour],
    edges: 0.03,
    backwards: 0.005,
  },
  {
    ...usual,
    name: 'flood',
    actions: { 'auth.login': 2, 'auth.otp': 1 },
    ops: { check: 1, fail: 2, succeed: 6 },
    accounts: 1,
    devices: 24,
    missing: 0.02,
    owner: 0.03,
    networks: { v4: 12 },
    agents: 6,
    confidences: { LOW: 12, MEDIUM: 1 },
    stepsMs: [second, 30 * second, 2 * minute, 3 * minute],
    bursts: [40, 9 * hour],
    edges: 0.15,
    backwards: 0.01,
  },
  {
    ...usual,
    name: 'slow flood',
    actions: { 'auth.login': 5, 'auth.otp': 1 },
    ops: { fail: 1, succeed: 9 },
    accounts: 1,
    devices: 12,
    missing: 0,
    owner: 0,
    networks: { v4: 12 },
    confidences: { LOW: 1 },
    stepsMs: [minute, 2 * minute, 4 * minute],
    spansMs: [15 * minute, 30 * minute],
    bursts: [60, 9 * hour],
    edges: 0.2,
    backwards: 0.005,
  },
  {
    ...usual,
    name: 'many devices',
    actions: login,
    ops: { check: 1, fail: 6, succeed: 5 },
    accounts: 1,
    devices: 26,
    owner: 0.03,
    missing: 0,
    confidences: { LOW: 1, MEDIUM: 6, HIGH: 6 },
    networks: { v4: 20 },
    stepsMs: [0, second, minute, 3 * minute],
    bursts: [40, 2 * hour],
    edges: 0.1,
    backwards: 0.005,
  },
  {
    ...usual,
    name: 'trusted devices',
    actions: { 'auth.login': 5, 'auth.otp': 1 },
    ops: { check: 1, fail: 5, succeed: 5 },
    accounts: 1,
    devices: 24,
    owner: 0,
    missing: 0,
    confidences: { HIGH: 1 },
    networks: { v4: 20 },
    stepsMs: [0, 0, minute, 3 * minute],
    bursts: [60, 5 * hour],
    edges: 0.1,
    backwards: 0.005,
  },
  {
    ...usual,
    name: 'full book',
    actions: { 'auth.login': 3, 'auth.otp': 1 },
    ops: { check: 1, fail: 3, succeed: 6 },
    accounts: 1,
    devices: 22,
    owner: 0.1,
    missing: 0,
    confidences: { LOW: 1, MEDIUM: 4, HIGH: 2 },
    networks: { v4: 20 },
    stepsMs: [0, 0, minute, 3 * hour],
  },
  {
    ...usual,
    name: 'crowd',
    actions: { 'auth.login': 1, 'auth.otp': 1 },
    ops: { check: 2, fail: 8, succeed: 1 },
    accounts: 3,
    devices: 90,
    agents: 80,
    bareAgents: 0.02,
    networks: { v4: 1 },
    owner: 0.05,
    missing: 0.05,
    stepsMs: [20, second, 3 * second, 5 * second],
    edges: 0.04,
    backwards: 0.01,
  },
  {
    ...usual,
    name: 'crowded api',
    actions: { 'api.heavy': 6, 'auth.login': 1 },
    ops: { check: 1, fail: 1, succeed: 8 },
    accounts: 1,
    devices: 80,
    agents: 80,
    bareAgents: 0.005,
    networks: { v4: 1 },
    owner: 0,
    missing: 0.02,
    confidences: { LOW: 1, MEDIUM: 3 },
    costs: [1, 1, 1, 60],
    stepsMs: [20, second, 10 * second],
    spansMs: [15 * minute],
    edges: 0.03,
    backwards: 0.005,
  },
  {
    ...usual,
    name: 'api',
    actions: { 'api.heavy': 12, 'auth.login': 1 },
    ops: { check: 1, fail: 4, succeed: 3 },
    accounts: 2,
    devices: 4,
    agents: 2,
    networks: { v4: 1, v6: [1, 1, 1, 1] },
    owner: 0.3,
    missing: 0.1,
    stepsMs: [0, 20, 200, 2 * second, 8 * second],
    spansMs: [minute, 5 * minute],
    edges: 0.1,
  },
  {
    ...usual,
    name: 'api devices',
    actions: { 'api.heavy': 12, 'auth.login': 1 },
    ops: { check: 1, fail: 4, succeed: 3 },
    accounts: 1,
    devices: 1,
    agents: 1,
    networks: { v4: 1 },
    owner: 0.6,
    missing: 0,
    confidences: { LOW: 2, MEDIUM: 1 },
    stepsMs: [200, 2 * second, 10 * second],
    spansMs: [minute, 5 * minute],
    edges: 0.1,
    backwards: 0.01,
  },
  {
    ...usual,
    name: 'passive api',
    actions: { 'api.heavy': 1 },
    ops: { check: 1, fail: 6 },
    accounts: 1,
    devices: 1,
    agents: 1,
    networks: { v4: 2 },
    owner: 0,
    missing: 0,
    confidences: { LOW: 1 },
    stepsMs: [200, 2 * second, 10 * second],
    spansMs: [minute, 5 * minute],
    edges: 0.1,
    backwards: 0.01,
  },
  {
    ...usual,
    name: 'churn',
    actions: { 'auth.login': 1, 'auth.otp': 1 },
    accounts: 4,
    devices: 7,
    agents: 2,
    networks: { v4: 2 },
    missing: 0.05,
    stepsMs: [second, minute, 3 * minute, 12 * minute],
  },
  {
    ...usual,
    name: 'dilution',
    actions: { 'auth.login': 1, 'auth.otp': 1 },
    accounts: 3,
    devices: 2,
    agents: 3,
    networks: { v4: 9, v6: [1, 1, 2, 1] },
    missing: 0,
    stepsMs: [second, 30 * second, 2 * minute],
    bursts: [30, 25 * minute],
    edges: 0.15,
  },
  {
    ...usual,
    name: 'steady dilution',
    actions: login,
    ops: { check: 1, fail: 6, succeed: 1 },
    accounts: 2,
    devices: 1,
    agents: 4,
    networks: { v4: 12 },
    missing: 0,
    owner: 0.3,
    confidences: { MEDIUM: 1 },
    stepsMs: [10 * second, minute, 2 * minute],
    spansMs: [10 * minute, 20 * minute],
    edges: 0.3,
    backwards: 0.005,
  },
  {
    ...usual,
    name: 'steady dilution of codes',
    actions: otp,
    ops: { check: 1, fail: 6, succeed: 1 },
    accounts: 2,
    devices: 1,
    agents: 4,
    networks: { v4: 12 },
    missing: 0,
    owner: 0.3,
    confidences: { MEDIUM: 1 },
    stepsMs: [10 * second, minute, 2 * minute],
    spansMs: [10 * minute, 20 * minute],
    edges: 0.3,
    backwards: 0.005,
  },
  {
    ...usual,
    name: 'spray',
    actions: { 'auth.login': 4, 'auth.otp': 1 },
    accounts: 9,
    devices: 5,
    networks: { v4: 1, v6: [1, 1, 1, 1] },
    stepsMs: [second, minute, 3 * minute, 8 * minute],
  },
  {
    ...usual,
    name: 'prefix 48',
    actions: login,
    accounts: 9,
    devices: 12,
    networks: { v4: 0, v6: [1, 2, 2, 4] },
    stepsMs: [second, 30 * second, 2 * minute],
    edges: 0.15,
  },
  {
    ...usual,
    name: 'wide prefix 48',
    actions: login,
    ops: { check: 1, fail: 9 },
    accounts: 5,
    devices: 12,
    networks: { v4: 0, v6: [1, 1, 1, 40] },
    owner: 0.02,
    stepsMs: [second, 5 * second, 30 * second],
    edges: 0.05,
    backwards: 0.005,
  },
  {
    ...usual,
    name: 'prefix 40',
    actions: login,
    ops: { check: 1, fail: 9, succeed: 0.3 },
    accounts: 40,
    devices: 40,
    agents: 9,
    networks: { v4: 0, v6: [1, 1, 24, 6] },
    stepsMs: quick,
    edges: 0.03,
    backwards: 0.01,
  },
  {
    ...usual,
    name: 'prefix 32',
    actions: login,
    ops: { check: 1, fail: 20, succeed: 0.3 },
    accounts: 150,
    devices: 80,
    agents: 9,
    networks: { v4: 0, v6: [1, 20, 2, 40] },
    owner: 0.05,
    stepsMs: [20, second, 3 * second],
    edges: 0.02,
    backwards: 0.005,
  },
  {
    ...usual,
    name: 'budget',
    actions: login,
    ops: { check: 3, fail: 6, succeed: 1 },
    accounts: 1,
    devices: 3,
    missing: 0.1,
    owner: 0.3,
    networks: { v4: 6 },
    stepsMs: slow,
    backwards: 0.005,
  },
  {
    ...usual,
    name: 'otp budget',
    actions: otp,
    ops: { check: 2, fail: 6, succeed: 1 },
    accounts: 1,
    devices: 3,
    missing: 0.1,
    owner: 0.4,
    networks: { v4: 6 },
    stepsMs: [10 * minute, 40 * minute, 2 * hour, 3 * hour],
    bursts: [15, 50 * hour],
    backwards: 0.005,
  },
  {
    ...usual,
    name: 'equilibrium',
    actions: { 'auth.login': 2, 'auth.otp': 1 },
    ops: { check: 1, fail: 6, succeed: 0.5 },
    accounts: 1,
    devices: 2,
    missing: 0.2,
    owner: 0.15,
    networks: { v4: 4 },
    stepsMs: [10 * minute, 30 * minute, 70 * minute],
    bursts: [20, 9 * hour],
    backwards: 0.005,
  },
];

/** Scenes one after another, each with about so many events, over the same records. */
export interface Course {
  readonly name: string;
  readonly phases: readonly [Phase, ...Phase[]];
}

export interface Phase {
  readonly scene: Scene;
  readonly events: number;
}

/** A device that is blocked everywhere comes to a network that has no room for it. */
const dilutedIntoCrowd: Course = {
  name: 'diluted into a crowd',
  phases: [
    { scene: diluting(0), events: 160 },
    { scene: crowding(20), events: 160 },
    { scene: { ...diluting(0), networks: { v4: 1, v4From: 20 }, stepsMs: [second, 2 * second] }, events: 12 },
  ],
};

function diluting(devicesFrom: number): Scene {
  return {
    ...usual,
    name: 'diluting',
    actions: login,
    ops: { check: 1, fail: 9 },
    accounts: 2,
    devices: 1,
    devicesFrom,
    networks: { v4: 12 },
    owner: 0,
    missing: 0,
    confidences: { MEDIUM: 1 },
    stepsMs: [10 * second, minute],
    edges: 0,
    backwards: 0,
  };
}

function crowding(v4From: number): Scene {
  return {
    ...usual,
    name: 'crowding',
    actions: login,
    ops: { check: 1, fail: 12 },
    accounts: 2,
    devices: 90,
    devicesFrom: 1,
    agents: 80,
    bareAgents: 0.01,
    networks: { v4: 1, v4From },
    owner: 0,
    missing: 0,
    stepsMs: [20, second, 3 * second],
    edges: 0,
    backwards: 0,
  };
}

const [first = usual, ...rest] = single;

/** Every kind of traffic there is. */
export const courses: readonly [Course, ...Course[]] = [alone(first), ...rest.map(alone), dilutedIntoCrowd];

function alone(scene: Scene): Course {
  return { name: scene.name, phases: [{ scene, events: Number.POSITIVE_INFINITY }] };
}
