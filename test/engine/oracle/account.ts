import { Calls, durationMs, escalate, hardRuns, type Reason, raise, softRuns } from './penalties.ts';
import {
  type AccountRecord,
  countWithin,
  type DeviceEntry,
  day,
  freshAccount,
  freshBudget,
  freshPenalty,
  hour,
  lastTimes,
  minute,
  timeIn,
} from './records.ts';
import type { Request, Shelves } from './request.ts';
import { clear, keepFreshest, observe, reaches } from './windows.ts';

/** The account group of contract section 4.2, in the order of its rules. */

const numbers = {
  login: {
    knownDelta: 2,
    newDelta: 3,
    repeatDelta: 6,
    soft: 5,
    hard: 8,
    escalating: 12,
    budgetSize: 20,
    budgetLevel: 3,
    cooldownMs: hour,
  },
  otp: {
    knownDelta: 4,
    newDelta: 5,
    repeatDelta: 8,
    soft: 4,
    hard: 7,
    escalating: 10,
    budgetSize: 10,
    budgetLevel: 4,
    cooldownMs: 2 * hour,
  },
} as const;

export function numbersOf(request: Request) {
  if (request.policy === 'api') throw new TypeError('the api policy has no scores');
  return numbers[request.policy];
}

/** The account record of a request that is about to be written, with the calls of its rules. */
class AccountTurn {
  readonly request: Request;
  readonly record: AccountRecord;
  readonly now: number;
  readonly calls = new Calls();
  readonly reasons: Reason[] = [];
  readonly softBefore: boolean;
  entry: DeviceEntry | undefined;
  raisedAccount = false;
  issuedBudget = false;

  constructor(request: Request, shelves: Shelves) {
    this.request = request;
    const found = shelves.accounts.find(request.keys.account, request.t);
    this.record = found ?? freshAccount();
    this.now = timeIn(found, request.t);
    endEpoch(this.record, this.now);
    this.softBefore = softRuns(this.record, this.now) || budgetSoftRuns(this.record, this.now);
    this.entry = this.record.devices.find((entry) => entry.id === request.device?.id);
  }

  get newcomer(): string | undefined {
    return this.request.known ? undefined : this.request.device?.id;
  }

  hard(entry: DeviceEntry | undefined, rule: string, level: number): void {
    const own = entry === undefined || entry === this.entry;
    const scope = entry === undefined ? 'K4' : 'K5';
    const penalty = entry ?? this.record;
    this.calls.hard({ penalty, now: this.now, rule, scope: own ? scope : undefined, level });
  }

  soft(rule: string, level: number): void {
    this.calls.soft({ penalty: this.record, now: this.now, rule, scope: 'K4', level });
  }
}

export function failAccount(request: Request, shelves: Shelves): Reason[] {
  const turn = new AccountTurn(request, shelves);
  findOrMakeEntry(turn, shelves);
  score(turn);
  const earlierFailures = turn.entry?.failures ?? [];
  noteFailure(turn);
  rotation(turn);
  flood(turn);
  equilibrium(turn);
  budget(turn, earlierFailures);
  enterSoft(turn);
  const reasons = [...turn.calls.settle(), ...turn.reasons];
  shelves.accounts.write(request.keys.account ?? '', turn.record, request.t);
  return reasons;
}

export function succeedAccount(request: Request, shelves: Shelves): void {
  const turn = new AccountTurn(request, shelves);
  flood(turn);
  enterSoft(turn);
  turn.calls.settle();
  if (request.device?.confidence !== 'LOW' && turn.entry !== undefined) {
    turn.entry.score = 0;
    turn.entry.softUntil = 0;
  }
  shelves.accounts.write(request.keys.account ?? '', turn.record, request.t);
}

function findOrMakeEntry(turn: AccountTurn, shelves: Shelves): void {
  const { record, now, request } = turn;
  if (request.device === undefined || turn.entry !== undefined) return;
  if (countWithin(record.newDevices, now, 15 * minute) >= 10) return;
  if (record.devices.length >= 16 && !evict(turn, shelves)) return;
  turn.entry = { ...freshPenalty(), id: request.device.id, failures: [] };
  record.devices.push(turn.entry);
  record.newDevices = lastTimes(record.newDevices, now, 10);
}

/** True if an entry went: the longest unused without a running block, not-known ones first. */
function evict(turn: AccountTurn, shelves: Shelves): boolean {
  const { record, now, request } = turn;
  const book = shelves.books.find(request.keys.book, request.t)?.entries ?? [];
  const free = record.devices.filter((entry) => !hardRuns(entry, now) && !softRuns(entry, now));
  const notKnown = free.filter((entry) => !book.some((known) => known.id === entry.id));
  const candidates = notKnown.length > 0 ? notKnown : free;
  const oldest = Math.min(...candidates.map(lastFailure));
  const victim = candidates.find((entry) => lastFailure(entry) === oldest);
  record.devices = record.devices.filter((entry) => entry !== victim);
  return victim !== undefined;
}

function lastFailure(entry: DeviceEntry): number {
  return entry.failures.at(-1) ?? 0;
}

function score(turn: AccountTurn): void {
  const { record, now, request } = turn;
  const { knownDelta, newDelta, repeatDelta } = numbersOf(request);
  if (request.known && turn.entry !== undefined) {
    raise(turn.entry, now, knownDelta, 5 * minute);
    judgeScore(turn, turn.entry);
  }
  const repeated = record.lastMissing !== undefined && record.lastMissing > now - 30 * minute;
  const isNew = request.device !== undefined && !request.known;
  if (!isNew && !(request.device === undefined && repeated)) return;
  raise(record, now, isNew ? newDelta : repeatDelta, 10 * minute);
  turn.raisedAccount = true;
  judgeScore(turn, undefined);
}

function judgeScore(turn: AccountTurn, entry: DeviceEntry | undefined): void {
  const { soft, hard, escalating } = numbersOf(turn.request);
  const penalty = entry ?? turn.record;
  const { now, calls } = turn;
  if (penalty.score >= escalating) turn.hard(entry, 'score', escalate(penalty, now, 3, 6));
  else if (penalty.score >= hard) turn.hard(entry, 'score', 2);
  else if (penalty.score >= soft) {
    calls.soft({ penalty, now, rule: 'score', scope: entry === undefined ? 'K4' : 'K5', level: 1 });
  }
}

function noteFailure(turn: AccountTurn): void {
  if (turn.request.device === undefined) turn.record.lastMissing = turn.now;
  if (turn.entry === undefined) return;
  turn.entry.failures = lastTimes(turn.entry.failures, turn.now, 9);
}

function rotation(turn: AccountTurn): void {
  const { record, now, newcomer } = turn;
  if (newcomer === undefined) return;
  const added = observe(record.rotation, newcomer, now, 10 * minute);
  if (!reaches(record.rotation, added, now, 4)) return;
  blockWindow(
    turn,
    'rotation',
    record.rotation.entries.map((seen) => seen.id),
  );
  clear(record.rotation);
  record.rotations = lastTimes(record.rotations, now, 3);
  if (countWithin(record.rotations, now, day) < 3) return;
  turn.hard(undefined, 'rotation.repeat', escalate(record, now, 4, 6));
}

function blockWindow(turn: AccountTurn, rule: string, ids: readonly string[]): void {
  for (const entry of turn.record.devices) {
    if (ids.includes(entry.id)) turn.hard(entry, rule, escalate(entry, turn.now, 2, 6));
  }
}

function flood(turn: AccountTurn): void {
  const { record, now, newcomer } = turn;
  if (newcomer === undefined) return;
  const added = observe(record.flood, newcomer, now, 15 * minute);
  if (now < record.floodUntil) {
    keepFreshest(record.flood, 16);
    if (added)
      blockWindow(
        turn,
        'flood',
        record.flood.entries.map((seen) => seen.id),
      );
    return;
  }
  if (!reaches(record.flood, added, now, 6)) return;
  record.flood.flagUntil = 0;
  record.floodUntil = now + 15 * minute;
  turn.soft('flood', 1);
}

function equilibrium(turn: AccountTurn): void {
  const { record, now } = turn;
  if (countWithin(record.softs, now, 6 * hour) < 3) return;
  record.softs = [];
  turn.hard(undefined, 'equilibrium', escalate(record, now, 2, 6));
}

function endEpoch(record: AccountRecord, now: number): void {
  const { epochStart } = record.budget;
  if (epochStart !== undefined && now >= epochStart + day) record.budget = freshBudget();
}

/** The budget's soft runs while its epoch does. */
export function budgetSoftRuns(record: AccountRecord, now: number): boolean {
  const { epochStart, softUntil } = record.budget;
  return epochStart !== undefined && now < epochStart + day && now < softUntil;
}

export function budgetLevel(request: Request): number {
  const { budgetLevel: level } = numbersOf(request);
  return request.trusted ? level - 1 : level;
}

function budget(turn: AccountTurn, earlierFailures: readonly number[]): void {
  if (turn.record.budget.epochStart === undefined && isEligible(turn, earlierFailures)) listFailure(turn);
  if (turn.record.budget.epochStart === undefined || turn.calls.hasHard('K4', 'K5')) return;
  issueBudget(turn);
}

function isEligible(turn: AccountTurn, earlierFailures: readonly number[]): boolean {
  const { request, now } = turn;
  if (request.policy === 'otp' || turn.raisedAccount || request.device === undefined) return true;
  return request.known && countWithin(earlierFailures, now, day) >= 8;
}

function listFailure(turn: AccountTurn): void {
  const { request, now } = turn;
  const { budget: state } = turn.record;
  const { budgetSize } = numbersOf(request);
  if (countWithin(state.times, now, day) === 0) state.guardUsed = false;
  state.times = lastTimes(state.times, now, budgetSize);
  if (countWithin(state.times, now, day) < budgetSize) return;
  const recovering = request.device?.confidence === 'HIGH' || request.known;
  if (request.policy === 'otp' && recovering && !state.guardUsed) {
    state.guardUsed = true;
    turn.soft('guard', 2);
    return;
  }
  state.epochStart = state.times[0];
}

function issueBudget(turn: AccountTurn): void {
  const { request, now } = turn;
  const { budget: state } = turn.record;
  const level = budgetLevel(request);
  if (now >= state.cooldownUntil) {
    state.cooldownUntil = now + numbersOf(request).cooldownMs;
    state.softUntil = now + durationMs(level);
    turn.issuedBudget = true;
  } else if (now >= state.softUntil) return;
  turn.reasons.push({ rule: 'budget', scope: 'K4', outcome: 'SOFT_BLOCK', level, until: state.softUntil });
}

/** An entry into SOFT on the account, at most one per operation. */
function enterSoft(turn: AccountTurn): void {
  const softOnAccount = turn.calls.softs.some((call) => call.penalty === turn.record);
  if (!softOnAccount && !turn.issuedBudget) return;
  if (turn.softBefore || turn.calls.hasHard('K4')) return;
  turn.record.softs = lastTimes(turn.record.softs, turn.now, 3);
}
