import type { Decision } from '../../core/decision.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import type { Policy } from '../../core/policy.ts';
import { isLetThrough, isOvertaken } from '../../guard/attempt.ts';
import { readFailureOptions } from '../../guard/failure/failure-options.ts';
import { assembleGuard, type Guard } from '../../guard/guard.ts';
import type { GuardRequest } from '../../guard/signals.ts';
import { createIdentifier } from '../../identity/identifier.ts';
import { createMemoryStore, type MemoryStore } from '../../stores/memory/index.ts';
import { createFaultyStore, type FaultyStore } from '../../testing/faulty-store.ts';
import { VirtualClock } from '../../testing/virtual-clock.ts';
import type { AttackStage, OwnerKind, Signals } from './attack-stage.ts';

/** How an owner fared: how often they had the right credentials, and how often they were sent away with them. */
export interface OwnerFate {
  readonly attempts: number;
  readonly refused: number;
}

/** What an attack came to. */
export interface AttackResult {
  /** Guesses whose credentials were looked at, and that would have got in had they been right. */
  readonly guesses: number;
  /** From the first guess to the first denial; null if there was none. */
  readonly firstBlockMs: number | null;
  readonly owners: Readonly<Record<OwnerKind, OwnerFate>>;
  readonly store: { readonly operations: number; readonly records: number };
}

const START_MS = 1_700_000_000_000;
const OWNER_EVERY_MS = 20 * MINUTE_MS;
const ownerKinds = ['trusted', 'known', 'new'] as const;

/** Where one attack is played: a guard of its own, its owners, and time that passes as the attack says. */
export class Stage implements AttackStage {
  readonly #clock = new VirtualClock(START_MS);
  readonly #memory: MemoryStore;
  readonly #store: FaultyStore;
  readonly #guard: Guard;
  readonly #action: string;
  readonly #endMs: number;
  readonly #fates = { trusted: noFate(), known: noFate(), new: noFate() };
  #guesses = 0;
  #firstGuessAt: number | null = null;
  #firstBlockAt: number | null = null;

  constructor(policies: readonly Policy[], action: string, durationMs: number) {
    const clock = this.#clock;
    this.#memory = createMemoryStore({ clock: () => clock.now() });
    this.#store = createFaultyStore(this.#memory, clock);
    this.#action = action;
    this.#endMs = START_MS + durationMs;
    this.#guard = assembleGuard({
      store: this.#store,
      // What is decided does not depend on the secret; the same drill prints the same report.
      identifier: createIdentifier({ secret: 'the secret of a drill' }),
      policies,
      environment: 'drill',
      failure: readFailureOptions({ clock }),
    });
  }

  get isRunning(): boolean {
    return this.#clock.now() < this.#endMs;
  }

  /** Lets the store fail from now on, or be well again. */
  outage(isOut: boolean): void {
    this.#store.trouble(isOut ? { kind: 'fault', code: 'STORE_FAILED' } : null);
  }

  /** Lets time pass, up to the end of the attack at most. */
  wait(ms: number): Promise<void> {
    return this.#clock.advanceTo(Math.min(this.#clock.now() + ms, this.#endMs));
  }

  /** One guess from check to fail. */
  async guess(signals: Signals): Promise<Decision> {
    const [decision] = await this.guessAtOnce([signals]);
    return decision ?? (await this.#guard.check({ ...signals, action: this.#action }));
  }

  /** Guesses of which all are checked before the first of them ends. */
  async guessAtOnce(signals: readonly Signals[]): Promise<Decision[]> {
    this.#firstGuessAt ??= this.#clock.now();
    const requests = signals.map((given): GuardRequest => ({ ...given, action: this.#action }));
    const checks = await Promise.all(requests.map((request) => this.#guard.check(request)));
    const decisions: Decision[] = [];
    for (const [index, checked] of checks.entries()) {
      const request = requests[index];
      const ended = request && isLetThrough(checked) ? await this.#guard.fail(request) : null;
      if (ended !== null && !isOvertaken(ended)) this.#guesses += 1;
      const decision = ended ?? checked;
      if (decision.outcome !== 'ALLOW') this.#firstBlockAt ??= this.#clock.now();
      decisions.push(decision);
    }
    return decisions;
  }

  /** The account's owners sign in once before the attack, and three times an hour during it. */
  async addOwners(account: string): Promise<void> {
    for (const [index, kind] of ownerKinds.entries()) {
      const signals = ownerSignals(account, kind);
      const login = { ...signals, action: this.#action };
      if (kind !== 'new') await this.#guard.succeed(login);
      const signIn = () => {
        this.#clock.after(OWNER_EVERY_MS, signIn);
        void this.#signIn(kind, login);
      };
      this.#clock.after((index + 1) * MINUTE_MS, signIn);
    }
  }

  /** An owner mistypes. */
  async mistype(account: string, kind: OwnerKind): Promise<void> {
    const request = { ...ownerSignals(account, kind), action: this.#action };
    if (isLetThrough(await this.#guard.check(request))) await this.#guard.fail(request);
  }

  async end(): Promise<AttackResult> {
    await this.#clock.advanceTo(this.#endMs);
    const { view, transact } = this.#store.calls;
    const { records } = this.#memory.usage();
    await this.#guard.close();
    return {
      guesses: this.#guesses,
      firstBlockMs:
        this.#firstBlockAt === null || this.#firstGuessAt === null
          ? null
          : this.#firstBlockAt - this.#firstGuessAt,
      owners: this.#fates,
      store: { operations: view + transact, records },
    };
  }

  async #signIn(kind: OwnerKind, request: GuardRequest): Promise<void> {
    const fate = this.#fates[kind];
    fate.attempts += 1;
    const isIn =
      isLetThrough(await this.#guard.check(request)) &&
      (await this.#guard.succeed(request)).outcome !== 'HARD_BLOCK';
    if (!isIn) fate.refused += 1;
  }
}

const noFate = () => ({ attempts: 0, refused: 0 });

export function ownerSignals(account: string, kind: OwnerKind): Signals {
  const ip = { trusted: '198.51.100.10', known: '198.51.100.11', new: '198.51.100.12' }[kind];
  const ua = 'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15';
  const confidence = ({ trusted: 'HIGH', known: 'MEDIUM', new: 'LOW' } as const)[kind];
  return { account, ip, ua, device: { id: `owner's ${kind} device`, confidence } };
}
