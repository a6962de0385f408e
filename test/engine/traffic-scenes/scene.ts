import type { DeviceSignal, TrafficEvent } from '../oracle/request.ts';

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
  /** How far ahead such a time may lie; four times the longest step unless given. */
  readonly reachMs?: number;
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

export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;

/** A little of everything; the other scenes say in what they differ. */
export const usual: Scene = {
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

export const login = { 'auth.login': 1 };
export const otp = { 'auth.otp': 1 };
