import { findAccountDevice } from './account-devices.ts';
import { type Acquaintance, acquaintanceOf, stops } from './acquaintance.ts';
import { hasRoomForDevice, routeAgent } from './admission.ts';
import { budgetReason, isBudgetSoft, presentBudget } from './budget.ts';
import type { Reason, Scope } from './decision.ts';
import { listOf } from './list.ts';
import { noReasons } from './operation.ts';
import type { Policy } from './policy.ts';
import type { Key, Records } from './records.ts';
import type { Request } from './request.ts';
import { find, ifLive, readLive } from './retention.ts';
import { cleanStanding, isHardBlocked, isSoftBlocked, type Standing } from './standing.ts';
import type { AccountRecord, AgentRecord, BookEntry, PrefixRecord } from './state.ts';

/**
 * What one view of all records tells (engine contract §3). It is computed once per operation; with it the groups
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
  return context.agentRouted && !isWide ? null : context;
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
  readonly hard: readonly Reason[];
  readonly soft: readonly Reason[];
  readonly budget: Reason | null;

  constructor(records: Records, request: Request, t: number, isWide: boolean) {
    const { policy, keys, subject } = request;
    const { device } = subject;
    const { recordMs, bookMs } = policy.retention;
    const foundBook = find(records, keys.book);
    const foundAccount = find(records, keys.account);
    const foundNetwork = find(records, keys.network);
    const foundNetworkDevice = find(records, keys.networkDevice);
    const foundDevice = find(records, keys.device);
    const book = ifLive(foundBook, foundBook?.at, t, bookMs)?.devices ?? noDevices;
    const account = ifLive(foundAccount, foundAccount?.at, t, recordMs);
    const network = ifLive(foundNetwork, foundNetwork?.at, t, recordMs);
    const networkDevice = ifLive(foundNetworkDevice, foundNetworkDevice?.at, t, recordMs);
    const deviceAlone = ifLive(foundDevice, foundDevice?.at, t, recordMs);
    const agent = routeAgent(records, request, network, t, isWide);
    const acquaintance = acquaintanceOf(device, book);
    const blocks = new RunningBlocks(acquaintance, policy.ownerLane, t);
    if (account !== undefined) {
      blocks.note('K4', account.standing, account.at);
      if (device) blocks.note('K5', findAccountDevice(account.devices, device.token)?.standing, account.at);
    }
    if (networkDevice !== undefined) blocks.note('K3', networkDevice.standing, networkDevice.at);
    if (deviceAlone !== undefined) blocks.note('D', deviceAlone.standing, deviceAlone.at);
    if (agent.record !== undefined) blocks.note('K2', agent.record.standing, agent.record.at);
    if (network !== undefined) blocks.note('K1', network.standing, network.at);
    blocks.notePrefix('P48', readLive(records, keys.p48, t, recordMs));
    blocks.notePrefix('P40', readLive(records, keys.p40, t, recordMs));
    const { known, trusted } = acquaintance;
    this.t = t;
    this.known = known;
    this.trusted = trusted;
    this.admitted =
      device !== null && (known || networkDevice !== undefined || hasRoomForDevice(network, t, policy.caps));
    this.agentKey = agent.key;
    this.agentRouted = agent.routed;
    this.book = book;
    this.hard = blocks.hard;
    this.soft = blocks.soft;
    this.budget = shownBudget(account, trusted, policy, t);
  }
}

const noDevices: readonly BookEntry[] = [];

/** Collects the blocks that run and stop the request. */
class RunningBlocks {
  hard: readonly Reason[] = noReasons;
  soft: readonly Reason[] = noReasons;
  readonly #acquaintance: Acquaintance;
  readonly #ownerLane: boolean;
  readonly #t: number;

  constructor(acquaintance: Acquaintance, ownerLane: boolean, t: number) {
    this.#acquaintance = acquaintance;
    this.#ownerLane = ownerLane;
    this.#t = t;
  }

  notePrefix(scope: 'P48' | 'P40', record: PrefixRecord | undefined): void {
    if (record !== undefined) this.note(scope, record.standing, record.at);
  }

  /** `at` is that of the record the standing lies in. */
  note(scope: Scope, standing: Standing | undefined, at: number): void {
    if (standing === undefined || standing === cleanStanding) return;
    const now = Math.max(this.#t, at);
    const hard = isHardBlocked(standing, now);
    const soft = isSoftBlocked(standing, now);
    if (!(hard || soft) || !stops(scope, this.#acquaintance, this.#ownerLane)) return;
    if (hard) this.hard = withReason(this.hard, hardReason(scope, standing));
    if (soft) this.soft = withReason(this.soft, softReason(scope, standing));
  }
}

/** Nearly always it is the only one, and to join lists takes longer than all the rest of a blocked request. */
function withReason(reasons: readonly Reason[], reason: Reason): readonly Reason[] {
  return reasons.length === 0 ? listOf(reason) : reasons.concat(reason);
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
