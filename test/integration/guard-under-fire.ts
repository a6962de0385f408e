import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Decision, Mode } from '../../src/core/decision.ts';
import { defaultPolicies } from '../../src/core/policy.ts';
import { readFailureOptions } from '../../src/guard/failure/failure-options.ts';
import { assembleGuard, type Guard } from '../../src/guard/guard.ts';
import type { GuardRequest } from '../../src/guard/signals.ts';
import { createIdentifier } from '../../src/identity/identifier.ts';
import type { Store } from '../../src/stores/store.ts';

/** Long enough for a busy machine to answer; what hangs fails by it all the same. */
export const deadlineMs = 2_000;

/** The contract's sequence with shorter times. The caps keep theirs. */
const breaker = {
  minOpenMs: 2_000,
  probeEveryMs: 400,
  healthyMs: 1_200,
  shutMs: 4_000,
  entryWindowMs: 600_000,
};

const MINUTE_MS = 60_000;
const PAUSE_MS = 5;
const WORKERS = 6;
const capCounts = { account: 3, ip: 20, agent: 60, apiIp: 120 } as const;

type Policy = 'login' | 'api';

/** One admission without the store: on what, and when. */
interface Admission {
  readonly subject: string;
  readonly at: number;
}

/**
 * Real traffic through a guard over a real store while somebody takes the store away. Notes every decision and holds
 * it to what the contract allows.
 */
export class GuardUnderFire {
  readonly guard: Guard;
  readonly #modes: Record<Policy, string[]> = { login: [], api: [] };
  readonly #criticals: string[] = [];
  readonly #admitted: Admission[] = [];
  readonly #counts = new Map<string, number>();
  readonly #workers: Promise<void>[] = [];
  #isRunning = true;

  constructor(store: Store) {
    this.guard = assembleGuard({
      store,
      identifier: createIdentifier({ secret: 'a secret for tests only' }),
      policies: defaultPolicies,
      environment: 'faults',
      failure: readFailureOptions({ deadlineMs, breaker }),
    });
    this.guard.on('mode', ({ policy, from, to }) => {
      if (policy === 'login' || policy === 'api') this.#modes[policy].push(`${from} → ${to}`);
    });
    this.guard.on('critical', ({ policy }) => this.#criticals.push(policy));
    for (let worker = 0; worker < WORKERS; worker += 1) this.#workers.push(this.#work(worker));
  }

  /** The modes a policy has gone through. */
  story(policy: Policy): readonly string[] {
    return this.#modes[policy];
  }

  get criticals(): readonly string[] {
    return this.#criticals;
  }

  /** How often an operation was answered so, e.g. `login check ALLOW NORMAL`. */
  count(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  /** Waits until both policies are in a mode, and then for some traffic in it. */
  async until(mode: Mode, apiMode: Mode = mode): Promise<void> {
    const wanted = { login: mode, api: apiMode };
    const isThere = () =>
      this.guard
        .modes()
        .every(({ policy, mode: present }) => policy === 'otp' || wanted[policy as Policy] === present);
    while (!isThere()) await sleep(20);
    const seen = () => this.#sum(` ${mode}`);
    const before = seen();
    while (isThere() && seen() - before < 30) await sleep(20);
  }

  /** Ends the traffic and says whether the contract was kept. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#workers);
    this.#assertCaps();
    expect(this.#sum('login check ALLOW FAIL_CLOSED')).toBe(0);
    expect(this.#sum('login succeed ALLOW FAIL_CLOSED')).toBe(0);
    expect(this.#sum('login check ALLOW FAIL_OPEN')).toBe(0);
    expect(this.#sum('api consume ALLOW FAIL_CLOSED')).toBe(0);
  }

  close(): Promise<void> {
    this.#isRunning = false;
    return this.guard.close();
  }

  /** A worker is the only one that shows its accounts, so that its attempts come one after the other. */
  async #work(worker: number): Promise<void> {
    for (let turn = 0; this.#isRunning; turn += 1) {
      const index = turn % 5;
      const signals = { ip: `203.0.113.${worker}`, ua: 'Mozilla/5.0 Firefox/130.0' };
      const device = { id: `device ${worker} ${index}`, confidence: 'MEDIUM' } as const;
      const request = { ...signals, action: 'auth.login', account: `${worker} ${index}`, device };
      await this.#attempt(request, turn % 3 > 0);
      const decision = await this.guard.consume({ ...signals, action: 'api.heavy' });
      this.#note('api consume', decision);
      if (decision.mode === 'FAIL_OPEN' && decision.outcome === 'ALLOW') {
        this.#admit(`apiIp ${signals.ip}`);
        this.#admit(`agent ${signals.ip}`);
      }
      await sleep(PAUSE_MS);
    }
  }

  async #attempt(request: GuardRequest, isRight: boolean): Promise<void> {
    const checked = await this.guard.check(request);
    this.#note('login check', checked);
    const isDegraded = checked.mode === 'DEGRADED' && checked.outcome === 'ALLOW';
    if (isDegraded) this.#admitAttempt(request);
    if (checked.outcome !== 'ALLOW' && !checked.deferred) return;
    const op = isRight ? 'succeed' : 'fail';
    const ended = await this.guard[op](request);
    this.#note(`login ${op}`, ended);
    if (!isDegraded && ended.mode === 'DEGRADED' && ended.outcome === 'ALLOW') this.#admitAttempt(request);
  }

  #admitAttempt({ account, ip }: GuardRequest): void {
    this.#admit(`account ${account}`);
    this.#admit(`ip ${ip}`);
  }

  #admit(subject: string): void {
    this.#admitted.push({ subject, at: performance.now() });
  }

  #note(what: string, { outcome, mode }: Decision): void {
    const line = `${what} ${outcome} ${mode}`;
    this.#counts.set(line, (this.#counts.get(line) ?? 0) + 1);
  }

  #sum(part: string): number {
    return [...this.#counts].reduce((sum, [line, count]) => (line.includes(part) ? sum + count : sum), 0);
  }

  /** No subject was admitted more often than its cap within a window, a little less than the whole of it. */
  #assertCaps(): void {
    for (const [subject, admissions] of groupBySubject(this.#admitted)) {
      const kind = subject.split(' ')[0] as keyof typeof capCounts;
      const windowMs = kind === 'account' || kind === 'ip' ? 9 * MINUTE_MS : MINUTE_MS - 5_000;
      for (const { at } of admissions) {
        const within = admissions.filter((other) => other.at <= at && other.at > at - windowMs);
        expect(within.length, subject).toBeLessThanOrEqual(capCounts[kind]);
      }
    }
  }
}

function groupBySubject(admissions: readonly Admission[]): Map<string, Admission[]> {
  const groups = new Map<string, Admission[]>();
  for (const admission of admissions) {
    groups.set(admission.subject, [...(groups.get(admission.subject) ?? []), admission]);
  }
  return groups;
}
