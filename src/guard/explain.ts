import { type Acquaintance, stops } from '../core/acquaintance.ts';
import { budgetLevel, isBudgetSoft, presentBudget } from '../core/budget.ts';
import { check } from '../core/check.ts';
import { consume } from '../core/consume.ts';
import { type Context, lookAround } from '../core/context.ts';
import { type Mode, type Scope, scopes } from '../core/decision.ts';
import { fail } from '../core/fail.ts';
import { invariant } from '../core/fault.ts';
import type { CredentialPolicy } from '../core/policy.ts';
import type { Key, Records, Retention, StoredRecord } from '../core/records.ts';
import { allKeys, type Request } from '../core/request.ts';
import { readLive } from '../core/retention.ts';
import { type Holder, isHardBlocked, isSoftBlocked, remembered, type Standing } from '../core/standing.ts';
import type { AccountRecord } from '../core/state.ts';
import { isToken } from '../core/window.ts';
import type { ImmediateStore, Store } from '../stores/store.ts';
import { addressOf, formatAddress } from './block-address.ts';
import { isCredential, isRate } from './engine.ts';
import { describeExplanation } from './explain-words.ts';
import type { BudgetExplanation, Explanation, KeyExplanation } from './explanation.ts';
import { historyOf } from './history.ts';
import { runImmediately } from './run.ts';

/** When a request is explained, and how its policy stands. */
export interface ExplainOptions {
  /** Milliseconds. Default: now by the store's clock. */
  readonly at?: number | undefined;
  /** The policy's mode on this node; in any but NORMAL the records do not decide. Default NORMAL. */
  readonly mode?: Mode | undefined;
}

/** Explains a request by the records of the store. Looks, and never writes. */
export function explain(
  store: Store,
  request: Request,
  { at, mode = 'NORMAL' }: ExplainOptions = {},
): Promise<Explanation> {
  const keys = triedKeys(request);
  return store.view(keys, (records, now) => explainRecords(records, request, keys, at ?? now, mode));
}

/** All that an operation sees, and the widest prefix: that is never blocked, but a failure may be one too many for it. */
function triedKeys(request: Request): readonly Key[] {
  const { macros } = request.subject;
  const keys = allKeys(request);
  return macros === null ? keys : [...keys, request.keyspace.macro('P32', macros.p32)];
}

function explainRecords(
  records: Records,
  request: Request,
  keys: readonly Key[],
  t: number,
  mode: Mode,
): Explanation {
  const context = lookAround(records, request, t, true);
  invariant(context !== null, 'A look at all records of a request has not seen enough.');
  const trial = trialOver(records, new Set(keys.map(({ text }) => text)));
  const draft = {
    at: t,
    policy: request.policy.name,
    device: deviceWord(request, context),
    admitted: context.admitted,
    keys: keyExplanations(records, request, t, context),
    history: historyOf(records, request, context.agentKey, t),
    budget: isCredential(request) ? explainBudget(records, request, t, context.trusted) : null,
    now: { ...runImmediately(trial, check(request), t), mode },
    next: nextOf(trial, request, t, mode),
  };
  return { ...draft, words: describeExplanation(draft) };
}

function deviceWord({ subject }: Request, { known, trusted }: Acquaintance): Explanation['device'] {
  if (subject.device === null) return 'missing';
  if (trusted) return 'trusted';
  return known ? 'known' : 'unknown';
}

function nextOf(trial: ImmediateStore, request: Request, t: number, mode: Mode): Explanation['next'] {
  if (isRate(request)) {
    return { op: 'consume', decision: { ...runImmediately(trial, consume(request, 1), t), mode } };
  }
  const operation = isCredential(request) ? fail(request) : check(request);
  return { op: 'fail', decision: { ...runImmediately(trial, operation, t), mode } };
}

function keyExplanations(records: Records, request: Request, t: number, context: Context): KeyExplanation[] {
  const { policy, keys, subject } = request;
  const { recordMs } = policy.retention;
  const account = readLive(records, keys.account, t, recordMs);
  const { device } = subject;
  const entry = device ? account?.devices.find(({ id }) => isToken(id, device.token)) : undefined;
  const standings: Partial<Record<Scope, FoundStanding>> = {
    K4: { standing: account?.standing, at: account?.at, id: blockIdOf(keys.account, request) },
    K5: { standing: entry?.standing, at: account?.at, id: deviceBlockId(request) },
  };
  for (const [scope, key] of [
    ['K3', keys.networkDevice],
    ['D', keys.device],
    ['K2', context.agentKey],
    ['K1', keys.network],
    ['P48', keys.p48],
    ['P40', keys.p40],
  ] as const) {
    const record = readLive<StoredRecord & Holder>(records, key, t, recordMs);
    standings[scope] = { standing: record?.standing, at: record?.at, id: blockIdOf(key, request) };
  }
  return scopes.flatMap((scope) => {
    const { standing, at, id = '' } = standings[scope] ?? {};
    if (standing === undefined) return [];
    const now = Math.max(t, at ?? t);
    return [
      {
        scope,
        id,
        stops: stops(scope, context, policy.ownerLane),
        score: standing.score,
        rememberedLevel: remembered(standing, now, policy.ladder),
        hard: isHardBlocked(standing, now) ? { level: standing.hardLevel, until: standing.hardUntil } : null,
        soft: isSoftBlocked(standing, now) ? { level: standing.softLevel, until: standing.softUntil } : null,
      },
    ];
  });
}

interface FoundStanding {
  readonly standing: Standing | undefined;
  readonly at: number | undefined;
  readonly id: string;
}

/** The id of a record's blocks; empty for a key that this request does not have. */
function blockIdOf(key: Key | null, { policy, keyspace }: Request): string {
  const address = key === null ? null : addressOf(key, policy.name, keyspace);
  return address === null ? '' : formatAddress(address);
}

function deviceBlockId({ policy, subject: { account, device } }: Request): string {
  if (account === null || device === null) return '';
  return formatAddress({ policy: policy.name, scope: 'K5', hashes: [account, device.token] });
}

function explainBudget(
  records: Records,
  { policy, keys }: Request<CredentialPolicy>,
  t: number,
  trusted: boolean,
): BudgetExplanation {
  const account: AccountRecord | undefined = readLive(records, keys.account, t, policy.retention.recordMs);
  const { threshold, epochMs } = policy.budget;
  if (account === undefined) return { active: false, failures: 0, threshold, epochEnds: null, soft: null };
  const now = Math.max(t, account.at);
  const budget = presentBudget(account.budget, now, policy.budget);
  return {
    active: budget.epochStart !== null,
    failures: budget.failures.filter((at) => at > now - epochMs).length,
    threshold,
    epochEnds: budget.epochStart === null ? null : budget.epochStart + epochMs,
    soft: isBudgetSoft(budget, now)
      ? { level: budgetLevel(policy.budget, trusted), until: budget.softUntil }
      : null,
  };
}

/**
 * A store on which an operation can be tried out: it starts from the viewed records and keeps what is written to
 * itself. What the view did not show (the records of other networks and prefixes) counts as absent.
 */
function trialOver(records: Records, viewed: ReadonlySet<string>): ImmediateStore {
  const written = new Map<string, StoredRecord>();
  const overlay: Records = {
    get: <R extends StoredRecord>(key: Key<R>) => {
      const own = written.get(key.text) as R | undefined;
      return own ?? (viewed.has(key.text) ? records.get(key) : undefined);
    },
    put: <R extends StoredRecord>(key: Key<R>, value: R, _retention: Retention) => {
      written.set(key.text, value);
    },
  };
  return { view: (_, look) => look(overlay, 0), transact: (_, step) => step(overlay, 0) };
}
