import { findAccountDevice } from './account-devices.ts';
import { budgetReason, isBudgetSoft, presentBudget } from './budget.ts';
import type { Reason, Scope } from './decision.ts';
import type { Policy } from './policy.ts';
import type { Key, Records } from './records.ts';
import type { Request } from './request.ts';
import { readLive } from './retention.ts';
import { isHardBlocked, isSoftBlocked, type Standing } from './standing.ts';
import type { AccountRecord, AgentRecord, BookEntry, NetworkRecord } from './state.ts';
import type { ShownDevice } from './subject.ts';
import { isToken, isWithin } from './window.ts';

/**
 * What one view of all records tells (engine contract §3). It is computed once per operation; with it the groups
 * are independent of each other.
 */
export interface Context {
  readonly t: number;
  readonly known: boolean;
  readonly trusted: boolean;
  /** Whether the device may have a K3 and a D record here (§6). */
  readonly admitted: boolean;
  /** The K2 of this request, which is that of `other/0` for an agent over the cap. */
  readonly agentKey: Key<AgentRecord>;
  readonly agentRouted: boolean;
  readonly book: readonly BookEntry[];
  /** Running HARD blocks that stop this request. */
  readonly hard: readonly Reason[];
  /** Stored SOFT blocks that are running and stop this request. */
  readonly soft: readonly Reason[];
  /** A running budget SOFT that `check` shows, else null. */
  readonly budget: Reason | null;
}

/** What a block may stop depends on how well the account knows the device. */
export type Acquaintance = Pick<Context, 'known' | 'trusted'>;

const networkWide: ReadonlySet<Scope> = new Set<Scope>(['K1', 'P48', 'P40']);
const ownerLaneOnly: ReadonlySet<Scope> = new Set<Scope>(['K4', 'K2']);

/** Whom a block stops (§4): a trusted device answers only for itself, a known one not for its network. */
export function stops(scope: Scope, { known, trusted }: Acquaintance, ownerLane: boolean): boolean {
  if (networkWide.has(scope)) return !known && !trusted;
  return !(trusted && ownerLane && ownerLaneOnly.has(scope));
}

export function hardReason(scope: Scope, { hardLevel, hardUntil }: Readonly<Standing>): Reason {
  return { rule: 'blocked', scope, outcome: 'HARD_BLOCK', level: hardLevel, until: hardUntil };
}

function softReason(scope: Scope, { softLevel, softUntil }: Readonly<Standing>): Reason {
  return { rule: 'blocked', scope, outcome: 'SOFT_BLOCK', level: softLevel, until: softUntil };
}

/** Looks at all records of a request at time `t`. */
export function lookAround(records: Records, request: Request, t: number): Context {
  const { policy, keys, subject } = request;
  const { recordMs, bookMs } = policy.retention;
  const book = readLive(records, keys.book, t, bookMs)?.devices ?? [];
  const acquaintance = acquaintanceOf(subject.device, book);
  const account = readLive(records, keys.account, t, recordMs);
  const network = readLive(records, keys.network, t, recordMs);
  const networkDevice = readLive(records, keys.networkDevice, t, recordMs);
  const agent = routeAgent(records, request, network, t);
  const ownDevice = account && subject.device && findAccountDevice(account.devices, subject.device.token);
  const hard: Reason[] = [];
  const soft: Reason[] = [];
  /** K5 keeps the time of its account's record. */
  const note = (scope: Scope, standing: Readonly<Standing> | null | undefined, at: number | undefined) => {
    if (!standing || !stops(scope, acquaintance, policy.ownerLane)) return;
    const now = Math.max(t, at ?? t);
    if (isHardBlocked(standing, now)) hard.push(hardReason(scope, standing));
    if (isSoftBlocked(standing, now)) soft.push(softReason(scope, standing));
  };
  note('K4', account, account?.at);
  note('K5', ownDevice, account?.at);
  for (const [scope, record] of [
    ['K3', networkDevice],
    ['D', readLive(records, keys.device, t, recordMs)],
    ['K2', agent.record],
    ['K1', network],
    ['P48', readLive(records, keys.p48, t, recordMs)],
    ['P40', readLive(records, keys.p40, t, recordMs)],
  ] as const) {
    note(scope, record, record?.at);
  }
  return {
    t,
    ...acquaintance,
    admitted:
      subject.device !== null &&
      (acquaintance.known || networkDevice !== undefined || hasRoom(network, t, policy)),
    agentKey: agent.key,
    agentRouted: agent.routed,
    book,
    hard,
    soft,
    budget: shownBudget(account, acquaintance.trusted, policy, t),
  };
}

function acquaintanceOf(device: ShownDevice | null, book: readonly BookEntry[]): Acquaintance {
  if (device === null || device.confidence === 'LOW') return { known: false, trusted: false };
  const entry = book.find(({ id }) => isToken(id, device.token));
  return { known: entry !== undefined, trusted: device.confidence === 'HIGH' && entry?.bound === true };
}

/** Admission of a device at a network (§6). */
function hasRoom(network: NetworkRecord | undefined, t: number, { caps }: Policy): boolean {
  return (
    network === undefined ||
    sightsOf(network.devicesSeenAt, network, t, caps.networkSightsMs) < caps.networkDevices
  );
}

function sightsOf(times: readonly number[], network: NetworkRecord, t: number, windowMs: number): number {
  const now = Math.max(t, network.at);
  return times.filter((at) => isWithin(at, now, windowMs)).length;
}

/** An agent whose record exists is never routed; one over the cap shares the K2 of `other/0` (§6). */
function routeAgent(
  records: Records,
  { keys, policy }: Request,
  network: NetworkRecord | undefined,
  t: number,
): { key: Key<AgentRecord>; routed: boolean; record: AgentRecord | undefined } {
  const { caps, retention } = policy;
  const record = readLive(records, keys.agent, t, retention.recordMs);
  const full =
    network !== undefined &&
    sightsOf(network.agentsSeenAt, network, t, caps.networkSightsMs) >= caps.networkAgents;
  if (record !== undefined || !full) return { key: keys.agent, routed: false, record };
  const other = readLive(records, keys.otherAgent, t, retention.recordMs);
  return { key: keys.otherAgent, routed: true, record: other };
}

/** Login shows a running budget SOFT at `check` (§7), a trusted device too, at its own level. */
function shownBudget(
  account: AccountRecord | undefined,
  trusted: boolean,
  policy: Policy,
  t: number,
): Reason | null {
  if (account === undefined || policy.kind !== 'credential' || !policy.budget.shownAtCheck) return null;
  const now = Math.max(t, account.at);
  const budget = presentBudget(account.budget, now, policy.budget);
  return isBudgetSoft(budget, now) ? budgetReason(budget, policy.budget, trusted) : null;
}
