import type { Scope } from './penalties.ts';
import {
  type AccountRecord,
  type BookRecord,
  countWithin,
  day,
  hour,
  minute,
  type NetRecord,
  Shelf,
  timeIn,
} from './records.ts';
import { agentOf, type Prefixes, prefixesOf, unknownAgent } from './signals.ts';

/** One line of a replay file. */
export interface TrafficEvent {
  readonly t: number;
  readonly op: 'check' | 'fail' | 'succeed' | 'consume';
  readonly action?: string;
  readonly account?: string;
  readonly ip: string;
  readonly ua?: string;
  readonly device?: DeviceSignal | null;
  readonly cost?: number;
}

export interface DeviceSignal {
  readonly id: string;
  readonly confidence: 'LOW' | 'MEDIUM' | 'HIGH';
}

export type PolicyName = 'login' | 'otp' | 'api';

const policies: Readonly<Record<string, PolicyName>> = {
  'auth.login': 'login',
  'auth.otp': 'otp',
  'api.heavy': 'api',
};

export class Shelves {
  readonly books = new Shelf<BookRecord>(90 * day);
  readonly accounts = new Shelf<AccountRecord>(72 * hour);
  readonly nets = new Shelf<NetRecord>(72 * hour);
}

/** The request and the context of contract section 3, seen once before the groups run. */
export interface Request {
  readonly t: number;
  readonly policy: PolicyName;
  readonly account: string | undefined;
  readonly device: DeviceSignal | undefined;
  readonly prefixes: Prefixes;
  readonly agent: string;
  readonly known: boolean;
  readonly trusted: boolean;
  readonly admitted: boolean;
  readonly keys: Keys;
}

export interface Keys {
  readonly book: string | undefined;
  readonly account: string | undefined;
  readonly k1: string;
  readonly k2: string;
  readonly k3: string | undefined;
  readonly d: string | undefined;
  readonly p48: string | undefined;
  readonly p40: string | undefined;
  readonly p32: string | undefined;
}

export function readRequest(event: TrafficEvent, shelves: Shelves): Request {
  const { t, account } = event;
  const policy = policyOf(event);
  const device = event.device ?? undefined;
  const prefixes = prefixesOf(event.ip);
  const standing = standingOf(account, device, shelves, t);
  const agent = routedAgent(policy, prefixes.k1, agentOf(event.ua), shelves, t);
  const keys = keysOf(policy, account, device, prefixes, agent);
  const admitted = isAdmitted(keys, standing.known, shelves, t);
  return { t, policy, account, device, prefixes, agent, ...standing, admitted, keys };
}

function policyOf(event: TrafficEvent): PolicyName {
  const action = event.action ?? (event.op === 'consume' ? 'api.heavy' : 'auth.login');
  const policy = policies[action];
  if (policy === undefined) throw new TypeError(`no policy for the action ${action}`);
  return policy;
}

function standingOf(
  account: string | undefined,
  device: DeviceSignal | undefined,
  shelves: Shelves,
  t: number,
): { known: boolean; trusted: boolean } {
  const entries = shelves.books.find(account, t)?.entries ?? [];
  const entry = entries.find((candidate) => candidate.id === device?.id);
  const known = entry !== undefined && device !== undefined && device.confidence !== 'LOW';
  return { known, trusted: known && device.confidence === 'HIGH' && entry.bound };
}

/** At most this many devices, and as many agents, are first seen per network in a quarter of an hour. */
const firstSightsMost = 50;

function routedAgent(policy: PolicyName, k1: string, agent: string, shelves: Shelves, t: number): string {
  const network = shelves.nets.find(netKey(policy, 'K1', k1), t);
  if (shelves.nets.find(netKey(policy, 'K2', k1, agent), t) !== undefined) return agent;
  if (network === undefined) return agent;
  const recent = countWithin(network.newAgents, timeIn(network, t), 15 * minute);
  return recent >= firstSightsMost ? unknownAgent : agent;
}

function isAdmitted(keys: Keys, known: boolean, shelves: Shelves, t: number): boolean {
  if (keys.k3 === undefined) return false;
  if (known || shelves.nets.find(keys.k3, t) !== undefined) return true;
  const network = shelves.nets.find(keys.k1, t);
  if (network === undefined) return true;
  return countWithin(network.newDevices, timeIn(network, t), 15 * minute) < firstSightsMost;
}

/** True if the network has no more room for a first sight of an agent: routing is not a sight. */
export function agentsFull(network: NetRecord, now: number): boolean {
  return countWithin(network.newAgents, now, 15 * minute) >= firstSightsMost;
}

export function netKey(policy: PolicyName, kind: string, ...parts: readonly string[]): string {
  return [policy, kind, ...parts].join('|');
}

function keysOf(
  policy: PolicyName,
  account: string | undefined,
  device: DeviceSignal | undefined,
  prefixes: Prefixes,
  agent: string,
): Keys {
  const prefixKey = (kind: string, prefix: string | undefined) =>
    prefix === undefined ? undefined : netKey(policy, kind, prefix);
  return {
    book: account,
    account: account === undefined ? undefined : netKey(policy, 'K4', account),
    k1: netKey(policy, 'K1', prefixes.k1),
    k2: netKey(policy, 'K2', prefixes.k1, agent),
    k3: device === undefined ? undefined : netKey(policy, 'K3', prefixes.k1, device.id),
    d: device === undefined ? undefined : netKey(policy, 'D', device.id),
    p48: prefixKey('P48', prefixes.p48),
    p40: prefixKey('P40', prefixes.p40),
    p32: prefixKey('P32', prefixes.p32),
  };
}

/** Contract section 4, "Whom a block stops". */
export function stops(request: Request, scope: Scope): boolean {
  if (request.trusted) return scope === 'K5' || scope === 'K3' || scope === 'D';
  if (request.known) return scope !== 'K1' && scope !== 'P48' && scope !== 'P40';
  return true;
}
