import { budgetLevel, budgetSoftRuns, failAccount, succeedAccount } from './account.ts';
import { consume } from './api.ts';
import { failDevice, failNetwork, failPrefix, prefixRules } from './network.ts';
import { hardRuns, type Outcome, type Reason, type Scope, softRuns } from './penalties.ts';
import { type BookRecord, type Penalty, timeIn } from './records.ts';
import { type Request, readRequest, Shelves, stops, type TrafficEvent } from './request.ts';

/** One line of the decisions that replay prints. */
export interface OracleDecision {
  readonly t: number;
  readonly outcome: Outcome;
  readonly level: number;
  readonly until: number;
  readonly retryAfterMs: number;
  readonly rule: string | null;
  readonly scope: Scope | null;
  readonly deferred: boolean;
  readonly mode: 'NORMAL';
  readonly reasons: readonly Reason[];
}

const scopeOrder: readonly Scope[] = ['K4', 'K5', 'K3', 'D', 'K2', 'K1', 'P48', 'P40'];
const ruleOrder = [
  'blocked',
  'score',
  'budget',
  'guard',
  'equilibrium',
  'spray',
  'rotation',
  'rotation.repeat',
  'dilution',
  'churn',
  'flood',
  'prefix',
  'minor',
  'moderate',
  'severe',
];

/**
 * The engine contract once more, written from its text alone and as plainly as it can be read: slow,
 * without stores or keys. Where it and the engine decide differently, one of them misreads the contract.
 */
export class Oracle {
  private readonly shelves = new Shelves();

  decide(event: TrafficEvent): OracleDecision {
    const request = readRequest(event, this.shelves);
    if (event.op === 'check') return this.check(request);
    if (event.op === 'fail') return decisionOf(request, this.fail(request));
    if (event.op === 'succeed') return this.succeed(request);
    const blocked = this.hardBlocks(request, scopeOrder);
    if (blocked.length > 0) return decisionOf(request, blocked);
    return decisionOf(request, consume(request, event.cost ?? 1, this.shelves));
  }

  private check(request: Request): OracleDecision {
    const hard = this.hardBlocks(request, scopeOrder);
    if (hard.length > 0 || request.policy === 'api') return decisionOf(request, hard);
    const soft = [...this.softBlocks(request), ...this.budgetAtCheck(request)];
    const deferred = soft.length > 0 && soft.every((reason) => reason.rule === 'budget');
    return decisionOf(request, soft, deferred);
  }

  private fail(request: Request): Reason[] {
    const account = this.hardBlocks(request, ['K4', 'K5']);
    const network = this.hardBlocks(request, ['K3', 'K2', 'K1']);
    const device = this.hardBlocks(request, ['D']);
    const p48 = this.hardBlocks(request, ['P48']);
    const p40 = this.hardBlocks(request, ['P40']);
    const reasons = [...account, ...network, ...device, ...p48, ...p40];
    if (account.length === 0) reasons.push(...failAccount(request, this.shelves));
    if (network.length === 0) {
      if (!request.known) reasons.push(...failNetwork(request, this.shelves));
      if (device.length === 0) reasons.push(...failDevice(request, this.shelves));
      reasons.push(...this.failPrefixes(request, [p48.length > 0, p40.length > 0, false]));
    }
    const spoken = new Set(reasons.map((reason) => reason.scope));
    return [...reasons, ...this.softBlocks(request).filter((reason) => !spoken.has(reason.scope))];
  }

  private failPrefixes(request: Request, blocked: readonly boolean[]): Reason[] {
    if (request.policy !== 'login' || request.known) return [];
    return prefixRules(request).flatMap((rule, index) =>
      blocked[index] === true ? [] : failPrefix(request, rule, this.shelves),
    );
  }

  private succeed(request: Request): OracleDecision {
    const hard = this.hardBlocks(request, scopeOrder);
    if (hard.length === 0 && request.device !== undefined) {
      succeedAccount(request, this.shelves);
      if (request.device.confidence !== 'LOW') this.enterBook(request);
    }
    return decisionOf(request, hard);
  }

  private enterBook(request: Request): void {
    const { account = '', device, t } = request;
    const found = this.shelves.books.find(account, t);
    const book: BookRecord = found ?? { at: 0, entries: [] };
    const now = timeIn(found, t);
    let entry = book.entries.find((candidate) => candidate.id === device?.id);
    if (entry === undefined) {
      if (book.entries.length >= 16) leaveBook(book);
      entry = { id: device?.id ?? '', bound: false, usedAt: now };
      book.entries.push(entry);
    }
    entry.usedAt = now;
    if (device?.confidence === 'HIGH') entry.bound = true;
    this.shelves.books.write(account, book, t);
  }

  /** The request's key of a scope, with the time inside its record. */
  private keyOf(request: Request, scope: Scope): { penalty: Penalty; now: number } | undefined {
    const { keys, t } = request;
    if (scope === 'K4' || scope === 'K5') {
      const account = this.shelves.accounts.find(keys.account, t);
      const entry = account?.devices.find((candidate) => candidate.id === request.device?.id);
      const penalty = scope === 'K4' ? account : entry;
      return penalty === undefined ? undefined : { penalty, now: timeIn(account, t) };
    }
    const names = { K3: keys.k3, D: keys.d, K2: keys.k2, K1: keys.k1, P48: keys.p48, P40: keys.p40 };
    const record = this.shelves.nets.find(names[scope], t);
    return record === undefined ? undefined : { penalty: record, now: timeIn(record, t) };
  }

  private hardBlocks(request: Request, scopes: readonly Scope[]): Reason[] {
    return scopes.flatMap((scope) => {
      const key = this.keyOf(request, scope);
      if (key === undefined || !hardRuns(key.penalty, key.now) || !stops(request, scope)) return [];
      const { hardLevel: level, hardUntil: until } = key.penalty;
      return [{ rule: 'blocked', scope, outcome: 'HARD_BLOCK' as const, level, until }];
    });
  }

  private softBlocks(request: Request): Reason[] {
    return (['K4', 'K5', 'K2', 'K1'] as const).flatMap((scope) => {
      const key = this.keyOf(request, scope);
      if (key === undefined || !softRuns(key.penalty, key.now) || !stops(request, scope)) return [];
      const { softLevel: level, softUntil: until } = key.penalty;
      return [{ rule: 'blocked', scope, outcome: 'SOFT_BLOCK' as const, level, until }];
    });
  }

  private budgetAtCheck(request: Request): Reason[] {
    const record = this.shelves.accounts.find(request.keys.account, request.t);
    if (request.policy !== 'login' || record === undefined) return [];
    if (!budgetSoftRuns(record, timeIn(record, request.t))) return [];
    const level = budgetLevel(request);
    const { softUntil: until } = record.budget;
    return [{ rule: 'budget', scope: 'K4', outcome: 'SOFT_BLOCK', level, until }];
  }
}

/** Makes room in a full book: the longest unused unbound entry goes, else the longest unused. */
function leaveBook(book: BookRecord): void {
  const unbound = book.entries.filter((entry) => !entry.bound);
  const candidates = unbound.length > 0 ? unbound : book.entries;
  const oldest = Math.min(...candidates.map((entry) => entry.usedAt));
  const victim = candidates.find((entry) => entry.usedAt === oldest);
  book.entries = book.entries.filter((entry) => entry !== victim);
}

function decisionOf(request: Request, unordered: readonly Reason[], deferred = false): OracleDecision {
  const { t } = request;
  const reasons = [...unordered].sort(
    (a, b) =>
      scopeOrder.indexOf(a.scope) - scopeOrder.indexOf(b.scope) ||
      ruleOrder.indexOf(a.rule) - ruleOrder.indexOf(b.rule),
  );
  const isHard = reasons.some((reason) => reason.outcome === 'HARD_BLOCK');
  const outcome = isHard ? 'HARD_BLOCK' : reasons.length > 0 ? 'SOFT_BLOCK' : 'ALLOW';
  const winning = reasons.filter((reason) => reason.outcome === outcome);
  const level = Math.max(0, ...winning.map((reason) => reason.level));
  const until = Math.max(0, ...winning.map((reason) => reason.until));
  const top = winning.filter((reason) => reason.level === level);
  const latest = Math.max(0, ...top.map((reason) => reason.until));
  const named = top.find((reason) => reason.until === latest);
  const retryAfterMs = Math.max(0, until - t);
  const { rule, scope } = named ?? { rule: null, scope: null };
  return { t, outcome, level, until, retryAfterMs, rule, scope, deferred, mode: 'NORMAL', reasons };
}
