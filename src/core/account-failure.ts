import { makeAccountDevice } from './account-devices.ts';
import { type AccountDraft, beginChange, openAccount, writeAccount } from './account-draft.ts';
import { stops } from './acquaintance.ts';
import { asInBook } from './book.ts';
import { budgetReason, countFailure, isBudgetSoft, issueBudget } from './budget.ts';
import { type Context, hardReason } from './context.ts';
import type { Reason } from './decision.ts';
import { judgeEquilibrium, noteSoft } from './equilibrium.ts';
import { observeFlood } from './flood.ts';
import { listOf } from './list.ts';
import { type Answer, answer, noReasons, type Step } from './operation.ts';
import { type CredentialPolicy, isInShadow } from './policy.ts';
import type { Key, Records } from './records.ts';
import type { Request } from './request.ts';
import { observeRotation } from './rotation.ts';
import { Ruling } from './ruling.ts';
import { judgeScore, raiseScore } from './score.ts';
import { isHardBlocked } from './standing.ts';
import type { AccountRecord } from './state.ts';
import type { Token } from './subject.ts';
import { countWithin, isWithin, noteTime } from './times.ts';

/** A failure as the account's rules see it. */
interface AccountFailure {
  readonly account: AccountDraft;
  /** The request's own, as the account names it. */
  readonly device: Token | null;
  readonly ruling: Ruling;
  readonly request: Request<CredentialPolicy>;
  readonly context: Context;
}

/** §4.2 fail, account group: K4, its K5 entries, correlation and budget of one account. */
export class AccountFailureStep implements Step {
  readonly #account: Key<AccountRecord>;
  readonly #request: Request<CredentialPolicy>;
  readonly #context: Context;
  #keys: readonly Key[] | null = null;

  constructor(account: Key<AccountRecord>, request: Request<CredentialPolicy>, context: Context) {
    this.#account = account;
    this.#request = request;
    this.#context = context;
  }

  get keys(): readonly Key[] {
    this.#keys ??= listOf<Key>(this.#account);
    return this.#keys;
  }

  run(records: Records): Answer {
    const request = this.#request;
    const context = this.#context;
    const { policy } = request;
    const { t } = context;
    const account = openAccount(records, this.#account, t, request);
    const blocked = accountBlocks(account, policy, context);
    if (blocked.length > 0) return answer(blocked);
    const { device: shown } = request.subject;
    const device = shown && asInBook(shown.token, context.book);
    beginChange(account, policy, device);
    const reasons = judgeFailure({ account, device, ruling: new Ruling(policy), request, context });
    writeAccount(records, account, t, policy);
    return answer(reasons);
  }
}

/** Running HARD blocks of this group that stop the request. */
export function accountBlocks(
  { record, key, ownDevice }: AccountDraft,
  policy: CredentialPolicy,
  context: Context,
): readonly Reason[] {
  const accountBlocked = isHardBlocked(record.standing, key.now);
  const deviceBlocked = ownDevice !== null && isHardBlocked(ownDevice.standing, key.now);
  if (!accountBlocked && !deviceBlocked) return noReasons;
  const reasons: Reason[] = [];
  if (accountBlocked && stops('K4', context, policy.ownerLane))
    reasons.push(hardReason('K4', record.standing));
  if (deviceBlocked && stops('K5', context, policy.ownerLane))
    reasons.push(hardReason('K5', ownDevice.standing));
  return reasons;
}

/** The rules, in the order of the contract. */
function judgeFailure(failure: AccountFailure): readonly Reason[] {
  const { account, device, ruling, request, context } = failure;
  const { correlation } = request.policy;
  if (device) claimDevice(failure, device);
  const raised = scoreFailure(failure);
  noteFailure(failure);
  if (device && !context.known) {
    observeRotation(ruling, account, device, correlation);
    observeFlood(ruling, account, device, correlation);
  }
  judgeEquilibrium(ruling, account, correlation.equilibrium);
  countTowardsBudget(failure, raised);
  const budget = enforceBudget(failure);
  noteSoft(ruling, account, correlation.equilibrium, ruling.hasSoft('K4') || budget.issued);
  const reasons = ruling.settle();
  return budget.reason === null ? reasons : [...reasons, budget.reason];
}

/** §6. The failing device has an entry from now on, unless it is ephemeral. */
function claimDevice({ account, request, context }: AccountFailure, device: Token): void {
  const { record, key } = account;
  account.ownDevice ??= makeAccountDevice(record, device, key.now, request.policy.caps, context.book);
}

/** §5. Says whether K4 was raised. */
function scoreFailure({ account, ruling, request, context }: AccountFailure): boolean {
  const { policy, subject } = request;
  const { score, ladder } = policy;
  const { key, record, ownDevice } = account;
  if (context.known) {
    if (ownDevice === null) return false;
    const deviceKey = { scope: 'K5', holder: ownDevice, now: key.now, own: true } as const;
    raiseScore(deviceKey, score.knownDevice, score.decayMs.accountDevice, ladder);
    judgeScore(ruling, deviceKey, score);
    return false;
  }
  const again = record.missingAt !== null && isWithin(record.missingAt, key.now, score.missingDeviceAgainMs);
  if (subject.device === null && !again) return false;
  raiseScore(key, subject.device ? score.newDevice : score.missingDeviceAgain, score.decayMs.account, ladder);
  judgeScore(ruling, key, score);
  return true;
}

function noteFailure({ account, request }: AccountFailure): void {
  const { key, record, ownDevice } = account;
  if (request.subject.device === null) record.missingAt = key.now;
  if (ownDevice) {
    const kept = request.policy.budget.knownDeviceGrace + 1;
    ownDevice.failures = noteTime(ownDevice.failures, key.now, kept);
  }
}

/** §7 eligibility, detection, guard and activation. */
function countTowardsBudget(failure: AccountFailure, raised: boolean): void {
  const { account, ruling, request, context } = failure;
  const { budget: policy } = request.policy;
  const { key, record } = account;
  const { device } = request.subject;
  if (!policy.countsEveryFailure && !raised && device !== null && !graceIsUsedUp(failure)) return;
  const guardable = device?.confidence === 'HIGH' || context.known;
  const isGuarded = countFailure(record.budget, key.now, policy, guardable);
  if (isGuarded && policy.guardLevel !== null) ruling.soft('guard', key, policy.guardLevel);
}

/** Whether a known device had its free failures before this one, which is among its times. */
function graceIsUsedUp({ account, request, context }: AccountFailure): boolean {
  const { knownDeviceGrace, epochMs } = request.policy.budget;
  if (!context.known || account.ownDevice === null) return false;
  const withThisOne = countWithin(account.ownDevice.failures, account.key.now, epochMs);
  return withThisOne > knownDeviceGrace;
}

interface Enforced {
  readonly reason: Reason | null;
  readonly issued: boolean;
}

const unenforced: Enforced = { reason: null, issued: false };

/** §7 enforcement: issue once per cooldown, show while it runs; a HARD of this group goes before. */
function enforceBudget({ account, ruling, request, context }: AccountFailure): Enforced {
  const { policy } = request;
  const { record, key } = account;
  if (record.budget.epochStart === null || ruling.hasHard()) return unenforced;
  const issued = key.now >= record.budget.cooldownUntil;
  if (issued) issueBudget(record.budget, key.now, policy.budget, context.trusted, policy.ladder);
  const shown = isBudgetSoft(record.budget, key.now);
  const reason = shown ? budgetReason(record.budget, policy.budget, context.trusted) : null;
  return { reason, issued: issued && !isInShadow(policy, 'budget') };
}
