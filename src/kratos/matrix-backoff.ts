import { createHash } from 'node:crypto';
import type { Decision, Outcome, Rule, Scope } from '../core/decision.ts';
import { EventHub } from '../guard/events.ts';
import type { BreakerStatus } from '../guard/failure/timed-breaker.ts';
import type { Guard } from '../guard/guard.ts';
import { type GuardRequest, isAccountText, signalBounds } from '../guard/signals.ts';
import { parseAddress } from '../identity/address.ts';
import type { KratosEvents, LoginOutcome } from './events.ts';
import type { LoginAttempt, LoginBackoff } from './login-backoff.ts';
import { matrixActions } from './matrix-actions.ts';
import { type Allowed, type Blocked, blocked, type LockReason, type Verdict } from './verdict.ts';

/** How to put the engine in front of Kratos. */
export interface MatrixBackoffOptions {
  readonly guard: Guard;
  /** `open`: everybody passes while the store fails. Default `policy`. */
  readonly onStoreFailure?: 'policy' | 'open' | undefined;
}

const accountScopes: ReadonlySet<Scope | null> = new Set<Scope>(['K4', 'K5']);

/** The whole engine instead of two counters: it learns how each login has ended from what Kratos answers. */
export class MatrixBackoff implements LoginBackoff {
  readonly events = new EventHub<KratosEvents>();
  readonly #options: MatrixBackoffOptions;
  readonly #isOpen: boolean;

  constructor(options: MatrixBackoffOptions) {
    this.#options = options;
    this.#isOpen = options.onStoreFailure === 'open';
  }

  async attempt(login: LoginAttempt): Promise<Verdict> {
    const decisions = await this.#decide('check', login);
    const block = this.#strictest(decisions.filter(({ deferred }) => !deferred));
    const mode = decisions.find((decision) => decision.mode !== 'NORMAL')?.mode ?? 'NORMAL';
    const verdict: Verdict = block ?? {
      ...passed,
      mode: this.#isOpen && mode !== 'NORMAL' ? 'FAIL_OPEN' : mode,
    };
    const reason = verdict.allowed ? null : verdict.reason;
    this.events.emit('attempt', { by: 'matrix', allowed: verdict.allowed, reason, mode: verdict.mode });
    return verdict;
  }

  /**
   * A success that a HARD block has overtaken is refused: that closes the race of many guesses in parallel. So is a failure,
   * in the same words, and both count alike: else the one guess of a thousand that is refused would be the right one.
   */
  async settle(login: LoginAttempt, { mode }: Allowed, outcome: LoginOutcome): Promise<Blocked | null> {
    this.events.emit('outcome', { by: 'matrix', outcome });
    if (outcome === 'undelivered' && mode === 'DEGRADED') await this.#withdraw(login);
    if (outcome === 'success' || outcome === 'likely-success') {
      const refused = this.#strictest((await this.#decide('succeed', login)).filter(isHard));
      if (refused === null || refused.mode !== 'NORMAL' || !login.hasCredential) return refused;
      return (await this.#fail(login)) ?? refused;
    }
    return outcome === 'failure' && login.hasCredential ? this.#fail(login) : null;
  }

  async #withdraw(login: LoginAttempt): Promise<void> {
    const { guard } = this.#options;
    for (const request of this.#requestsOf(login)) await guard.withdraw?.(request);
  }

  /** How a failure is refused that met a block which ran before it; null where Kratos answers. */
  async #fail(login: LoginAttempt): Promise<Blocked | null> {
    return this.#strictest((await this.#decide('fail', login)).filter(hasMetBlock));
  }

  status(): BreakerStatus {
    const modes = this.#options.guard.modes();
    const worst = modes.find(({ mode }) => mode !== 'NORMAL') ?? modes[0];
    return { mode: worst?.mode ?? 'NORMAL', since: worst?.since ?? null, fault: worst?.fault ?? null };
  }

  /** The guard is its owner's to close. */
  close(): void {}

  #decide(op: 'check' | 'fail' | 'succeed', login: LoginAttempt): Promise<Decision[]> {
    const { guard } = this.#options;
    return Promise.all(this.#requestsOf(login).map((request) => guard[op](request)));
  }

  /**
   * A login that names nobody counts on its address alone, which stands in for the account: by what one subscriber has, and in
   * capitals, which no identifier has, so that nobody can fail in its name from elsewhere. One that may be a guess at either
   * counts as both.
   */
  #requestsOf(login: LoginAttempt): GuardRequest[] {
    const ip = login.ip ?? '0.0.0.0';
    const accounts =
      login.identifiers.length > 0 ? login.identifiers : [`ADDRESS ${parseAddress(ip).network}`];
    // A longer one the guard would refuse.
    const ua = login.ua?.slice(0, signalBounds.ua) ?? null;
    return login.guesses.flatMap((guess) =>
      accounts.map((account) => ({ action: matrixActions[guess], account: nameOf(account), ip, ua })),
    );
  }

  #strictest(decisions: readonly Decision[]): Blocked | null {
    const [worst] = decisions
      .filter(({ outcome, mode }) => outcome !== 'ALLOW' && !(this.#isOpen && mode !== 'NORMAL'))
      .sort((a, b) => b.retryAfterMs - a.retryAfterMs);
    return worst === undefined ? null : blocked(reasonOf(worst), worst.retryAfterMs, worst.mode);
  }
}

const isHard = ({ outcome }: { readonly outcome: Outcome }): boolean => outcome === 'HARD_BLOCK';

/** Whether a success would have been refused as well: by what was there before, and not by what this failure brought. */
const hasMetBlock = ({ reasons }: Decision): boolean =>
  reasons.some((reason) => isHard(reason) && met.has(reason.rule));
const met: ReadonlySet<Rule> = new Set<Rule>(['blocked', 'store', 'degraded']);

/**
 * An account is known to the guard by its identifier, normalised, which it hashes under its secret: so an operator who types
 * it finds it. What the guard would not take has a hash in its place.
 */
function nameOf(account: string): string {
  return isAccountText(account) ? account : createHash('sha256').update(account).digest('base64url');
}

function reasonOf({ rule, scope }: Decision): LockReason {
  if (rule === 'store') return 'store';
  return accountScopes.has(scope) ? 'identifier' : 'ip';
}

const passed = { allowed: true, identifierAttempts: 0, ipAttempts: 0, tally: null } as const;
