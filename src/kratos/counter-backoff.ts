import { SECOND_MS } from '../core/duration.ts';
import { durationOf } from '../core/ladder.ts';
import { defaultLogin, type Policy } from '../core/policy.ts';
import { EventHub } from '../guard/events.ts';
import { CapTable } from '../guard/failure/cap-table.ts';
import { type FailureOptions, readFailureOptions } from '../guard/failure/failure-options.ts';
import { type CapScope, subjectLimit } from '../guard/failure/failure-policy.ts';
import type { BreakerStatus } from '../guard/failure/timed-breaker.ts';
import { parseAddress } from '../identity/address.ts';
import type { Secrets } from '../identity/component-hasher.ts';
import type { ExpiringCounters } from '../stores/expiring-counters.ts';
import type { Store } from '../stores/store.ts';
import type { AttemptCounters, AttemptSubject, CounterRules } from './attempt-counters.ts';
import { type CounterKeys, hashedKeys, plainKeys } from './counter-keys.ts';
import { backoffDefaults, proxyDefaults } from './defaults.ts';
import type { KratosEvents, LoginOutcome } from './events.ts';
import type { LoginAttempt, LoginBackoff } from './login-backoff.ts';
import { RecordCounters } from './record-counters.ts';
import { ServerCounters } from './server-counters.ts';
import { StoreWatch } from './store-watch.ts';
import { type Allowed, type Blocked, blocked, type Maxima, type Verdict, verdictOn } from './verdict.ts';

/** How to count logins. */
export interface CounterBackoffOptions extends Secrets {
  readonly store: Store;
  /** Counters of the store's own server, which then take the place of records: Redis has them. Default: none. */
  readonly counters?: ExpiringCounters | undefined;
  /** Part of every hashed key, so that environments can share a store. Default `default`. */
  readonly environment?: string | undefined;
  /** Default 10: the 11th attempt is refused. */
  readonly maxIdentifierAttempts?: number | undefined;
  /** Default 20. */
  readonly maxIpAttempts?: number | undefined;
  /** Default 120. */
  readonly identifierLockoutSeconds?: number | undefined;
  /** Default 120. */
  readonly ipLockoutSeconds?: number | undefined;
  /** What a success takes from the count of its address: its own attempts, or all. Default `own`. */
  readonly resetIp?: 'own' | 'all' | undefined;
  /** `plain` shares a Redis with an existing deployment. Default `hmac`. */
  readonly keys?: 'hmac' | 'plain' | undefined;
  /** `policy`: closed, then degraded with local caps. `open`: everybody passes. Default `policy`. */
  readonly onStoreFailure?: 'policy' | 'open' | undefined;
  /** Whether a success that the proxy sees resets the counters. Default true. */
  readonly resetOnSuccess?: boolean | undefined;
  /** What happens when the store fails. Default: the numbers of the engine contract. */
  readonly failure?: FailureOptions | undefined;
  /** The policy whose caps and durations count while the store fails. Default: the built-in `login`. */
  readonly policy?: Policy | undefined;
}

/** Level of the block when the store fails (engine contract §12). */
const failureLevel = 2;

const openWarning = {
  code: 'KRATOS_STORE_FAILURE_OPEN',
  message:
    'onStoreFailure is "open": while the store fails, every login attempt is let through and none is counted.',
} as const;

/**
 * Counts the attempts at an identifier and from an address, and locks both for a time (the origin's behaviour).
 *
 * @throws Fault `CONFIG_INVALID` when a secret is too short or a number out of range.
 */
export function createLoginBackoff(options: CounterBackoffOptions): CounterBackoff {
  const { store, counters, environment = 'default' } = options;
  const {
    identifierLockoutSeconds = backoffDefaults.identifierLockoutSeconds,
    ipLockoutSeconds = backoffDefaults.ipLockoutSeconds,
    resetIp = backoffDefaults.resetIp,
  } = options;
  const rules: CounterRules = {
    identifierWindowMs: identifierLockoutSeconds * SECOND_MS,
    ipWindowMs: ipLockoutSeconds * SECOND_MS,
    resetIp,
  };
  const keysNamed = (name: string) =>
    options.keys === 'plain' ? plainKeys : hashedKeys(options, environment, name);
  if (counters === undefined) {
    const keys = keysNamed('kratos.records');
    return new CounterBackoff(new RecordCounters(store, keys, rules), keys, options);
  }
  const keys = keysNamed('kratos.counters');
  return new CounterBackoff(new ServerCounters(counters, keys, rules), keys, options);
}

/** See {@link createLoginBackoff}. */
export class CounterBackoff implements LoginBackoff {
  readonly events = new EventHub<KratosEvents>();
  readonly #counters: AttemptCounters;
  readonly #keys: CounterKeys;
  readonly #maxima: Maxima;
  readonly #isOpen: boolean;
  readonly #resetsOnSuccess: boolean;
  readonly #failureMs: number;
  readonly #caps: readonly CapTable[];
  readonly #watch: StoreWatch;
  /** What an operator wants of the login policy while the store is away. */
  readonly #pinned: () => 'closed' | 'caps' | null;

  constructor(counters: AttemptCounters, keys: CounterKeys, options: CounterBackoffOptions) {
    const {
      maxIdentifierAttempts = backoffDefaults.maxIdentifierAttempts,
      maxIpAttempts = backoffDefaults.maxIpAttempts,
      policy = defaultLogin,
    } = options;
    const settings = readFailureOptions(options.failure);
    this.#counters = counters;
    this.#keys = keys;
    this.#maxima = { maxIdentifierAttempts, maxIpAttempts };
    this.#isOpen = options.onStoreFailure === 'open';
    this.#resetsOnSuccess = options.resetOnSuccess ?? proxyDefaults.resetOnSuccess;
    this.#failureMs = durationOf(failureLevel, policy.ladder);
    this.#caps = settings.capsOf(policy).map((cap) => new CapTable(cap, subjectLimit));
    this.#pinned = () => settings.pinned(policy.name);
    this.#watch = new StoreWatch({
      ping: () => counters.ping(),
      settings,
      events: this.events,
      degradedMode: this.#isOpen ? 'FAIL_OPEN' : 'DEGRADED',
    });
  }

  /** Tells what operators should know before the first request. */
  announce(): void {
    if (this.#isOpen) this.events.emit('warning', openWarning);
  }

  async attempt(login: AttemptSubject): Promise<Verdict> {
    const tally = await this.#watch.ask('count', () => this.#counters.count(login));
    const verdict = tally === null ? this.#withoutStore(login) : verdictOn(tally.value, this.#maxima);
    const { allowed, mode } = verdict;
    const reason = allowed ? null : verdict.reason;
    this.events.emit('attempt', { by: 'counters', allowed, reason, mode });
    return verdict;
  }

  settle(login: LoginAttempt, verdict: Allowed, outcome: LoginOutcome): Promise<null> | null {
    this.events.emit('outcome', { by: 'counters', outcome });
    if (outcome === 'undelivered') return this.#takeBack(login, verdict);
    const isReset = outcome === 'success' && this.#resetsOnSuccess && login.provesIdentifier;
    return isReset ? this.reset(login.identifiers[0] ?? null, login.ip) : null;
  }

  /** A login has succeeded: clears its identifier, and takes from its address what the rules say. */
  async reset(identifier: string | null, ip: string | null): Promise<null> {
    const done = await this.#watch.ask('reset', () => this.#counters.reset(identifier, ip));
    if (done === null) {
      const message = 'Counters could not be reset, because the store failed; they end by themselves.';
      this.events.emit('warning', { code: 'KRATOS_RESET_FAILED', message });
    }
    return null;
  }

  status(): BreakerStatus {
    return this.#watch.status;
  }

  close(): void {
    this.#watch.stop();
  }

  async #takeBack(login: AttemptSubject, { tally, cappedAt }: Allowed): Promise<null> {
    if (tally !== null) await this.#watch.ask('take-back', () => this.#counters.takeBack(login, tally));
    if (cappedAt !== undefined)
      for (const { table, subject } of this.#placesOf(login)) table.takeBack(subject, cappedAt);
    return null;
  }

  #withoutStore(login: AttemptSubject): Verdict {
    if (this.#isOpen) return passed('FAIL_OPEN');
    const now = this.#watch.tick();
    if (this.#isClosed()) return blocked('store', this.#failureMs, 'FAIL_CLOSED');
    const reason = this.#overCap(login, now);
    if (reason !== null) return blocked(reason, this.#failureMs, 'DEGRADED');
    return { ...passed('DEGRADED'), cappedAt: now };
  }

  /** Whether nobody passes now; an operator's pin has the last word. */
  #isClosed(): boolean {
    const pinned = this.#pinned();
    return pinned === null ? this.#watch.phase !== 'degraded' : pinned === 'closed';
  }

  /** An attempt counts on all its keys or, if one of them is over its cap, on none. */
  #overCap(login: AttemptSubject, now: number): Blocked['reason'] | null {
    const places = this.#placesOf(login);
    const over = places.filter(({ table, subject }) => !table.hasRoom(subject, now));
    if (over.length === 0) for (const { table, subject } of places) table.count(subject, now);
    else return over.some(({ table }) => table.cap.scope === 'K4') ? 'identifier' : 'ip';
    return null;
  }

  /** Where the local caps count an attempt. */
  #placesOf(login: AttemptSubject): { readonly table: CapTable; readonly subject: string }[] {
    return this.#caps.flatMap((table) =>
      this.#subjectsOf(login, table.cap.scope).map((subject) => ({ table, subject })),
    );
  }

  /** An address stands for its network (engine contract §3), also where plain keys count each by itself. */
  #subjectsOf({ identifiers, ip }: AttemptSubject, scope: CapScope): readonly string[] {
    if (scope === 'K4') return identifiers.map((identifier) => this.#keys.identifier(identifier).text);
    if (ip === null) return [];
    const [first = ip] = parseAddress(ip).network.split('/');
    return [this.#keys.ip(first).text];
  }
}

const passed = (mode: Allowed['mode']): Allowed => ({
  allowed: true,
  identifierAttempts: 0,
  ipAttempts: 0,
  mode,
  tally: null,
});
