import { findAccountDevice } from './account-devices.ts';
import { type Acquaintance, acquaintanceOf, stops } from './acquaintance.ts';
import { hasRoomForDevice, isRouted } from './admission.ts';
import { budgetReason, isBudgetSoft, presentBudget } from './budget.ts';
import type { Reason, Scope } from './decision.ts';
import { listOf } from './list.ts';
import { noReasons } from './operation.ts';
import type { Policy } from './policy.ts';
import type { Key, Records } from './records.ts';
import { otherAgentKey, type Request } from './request.ts';
import { find, ifLive, readLive } from './retention.ts';
import { cleanStanding, isHardBlocked, isSoftBlocked, type Standing } from './standing.ts';
import type { AccountRecord, AgentRecord, BookEntry } from './state.ts';

/**
 * What one view of the request's records tells (engine contract §3). It is computed once per operation; with it the groups
 * are independent of each other.
 */
export interface Context extends Acquaintance {
  readonly t: number;
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

export function hardReason(scope: Scope, { hardLevel, hardUntil }: Standing): Reason {
  return { rule: 'blocked', scope, outcome: 'HARD_BLOCK', level: hardLevel, until: hardUntil };
}

function softReason(scope: Scope, { softLevel, softUntil }: Standing): Reason {
  return { rule: 'blocked', scope, outcome: 'SOFT_BLOCK', level: softLevel, until: softUntil };
}

/**
 * Looks at the records of a request at time `t`. Null where its agent is over the cap (§6) and the record that it shares
 * with others was not among those shown: hardly ever, and to show it each time would cost every request one record more.
 *
 * @param isWide whether all records were shown (`allKeys`), not only those that nearly every request needs
 */
export function lookAround(records: Records, request: Request, t: number, isWide: boolean): Context | null {
  const context = new Surroundings(records, request, t, isWide);
  return isWide || context.agentKey === request.keys.agent ? context : null;
}

/** A class, and so are all parts of an operation that wait with it: see decision 0010. */
class Surroundings implements Context {
  readonly t: number;
  readonly known: boolean;
  readonly trusted: boolean;
  readonly admitted: boolean;
  readonly agentKey: Key<AgentRecord>;
  readonly agentRouted: boolean;
  readonly book: readonly BookEntry[];
  readonly budget: Reason | null;
  hard = noReasons;
  soft = noReasons;

  constructor(records: Records, request: Request, t: number, isWide: boolean) {
    const { policy, keys, subject } = request;
    const { device } = subject;
    const { caps, ownerLane } = policy;
    const { recordMs, bookMs } = policy.retention;
    const foundBook = find(records, keys.book);
    const foundAccount = find(records, keys.account);
    const foundNetwork = find(records, keys.network);
    const foundAgent = find(records, keys.agent);
    const foundNetworkDevice = find(records, keys.networkDevice);
    const foundDevice = find(records, keys.device);
    const book = ifLive(foundBook, foundBook?.at, t, bookMs)?.devices ?? noDevices;
    const account = ifLive(foundAccount, foundAccount?.at, t, recordMs);
    const network = ifLive(foundNetwork, foundNetwork?.at, t, recordMs);
    const ownAgent = ifLive(foundAgent, foundAgent?.at, t, recordMs);
    const networkDevice = ifLive(foundNetworkDevice, foundNetworkDevice?.at, t, recordMs);
    const deviceAlone = ifLive(foundDevice, foundDevice?.at, t, recordMs);
    const { known, trusted } = acquaintanceOf(device, book);
    const routed = isRouted(ownAgent, network, t, caps);
    const agentKey = routed ? otherAgentKey(request) : keys.agent;
    const agent = routed && isWide ? readLive(records, agentKey, t, recordMs) : ownAgent;
    this.t = t;
    this.known = known;
    this.trusted = trusted;
    this.admitted =
      device !== null && (known || networkDevice !== undefined || hasRoomForDevice(network, t, caps));
    this.agentKey = agentKey;
    this.agentRouted = routed;
    this.book = book;
    this.budget = shownBudget(account, trusted, policy, t);
    if (account !== undefined) {
      const own = device === null ? undefined : findAccountDevice(account.devices, device.token);
      noteBlocks(this, 'K4', account.standing, account.at, ownerLane);
      if (own !== undefined) noteBlocks(this, 'K5', own.standing, account.at, ownerLane);
    }
    if (networkDevice !== undefined)
      noteBlocks(this, 'K3', networkDevice.standing, networkDevice.at, ownerLane);
    if (deviceAlone !== undefined) noteBlocks(this, 'D', deviceAlone.standing, deviceAlone.at, ownerLane);
    if (agent !== undefined) noteBlocks(this, 'K2', agent.standing, agent.at, ownerLane);
    if (network !== undefined) noteBlocks(this, 'K1', network.standing, network.at, ownerLane);
    const p48 = readLive(records, keys.p48, t, recordMs);
    const p40 = readLive(records, keys.p40, t, recordMs);
    if (p48 !== undefined) noteBlocks(this, 'P48', p48.standing, p48.at, ownerLane);
    if (p40 !== undefined) noteBlocks(this, 'P40', p40.standing, p40.at, ownerLane);
  }
}

const noDevices: readonly BookEntry[] = [];

/** Notes the blocks of a key that run and stop the request. `at` is that of the record the standing lies in. */
function noteBlocks(
  context: Surroundings,
  scope: Scope,
  standing: Standing,
  at: number,
  ownerLane: boolean,
): void {
  if (standing === cleanStanding) return;
  const now = Math.max(context.t, at);
  const hard = isHardBlocked(standing, now);
  const soft = isSoftBlocked(standing, now);
  if (!(hard || soft) || !stops(scope, context, ownerLane)) return;
  if (hard) context.hard = withReason(context.hard, hardReason(scope, standing));
  if (soft) context.soft = withReason(context.soft, softReason(scope, standing));
}

/** Mostly it is one of two at most, and to join lists takes longer than all the rest of a blocked request. */
function withReason(reasons: readonly Reason[], reason: Reason): readonly Reason[] {
  const first = reasons[0];
  if (first === undefined) return listOf(reason);
  return reasons.length === 1 ? listOf(first, reason) : reasons.concat(reason);
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
