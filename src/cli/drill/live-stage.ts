import { setTimeout as sleep } from 'node:timers/promises';
import type { Decision } from '../../core/decision.ts';
import { isLetThrough, isOvertaken } from '../../guard/attempt.ts';
import type { GuardRequest } from '../../guard/signals.ts';
import type { AttackStage, OwnerKind, Signals } from './attack-stage.ts';
import type { DecisionClient } from './decision-client.ts';
import { type OwnerFate, ownerSignals } from './stage.ts';

/** What an attack on a running service came to. */
export interface LiveResult {
  readonly requests: number;
  /** Guesses whose credentials were looked at, and that would have got in had they been right. */
  readonly guesses: number;
  /** From the first guess to the first denial; null if there was none. */
  readonly firstBlockMs: number | null;
  readonly owners: Readonly<Record<'trusted' | 'known', OwnerFate>>;
  /** Decisions that were made without the store. */
  readonly withoutStore: number;
  /** The first guess, to ask about it afterwards. */
  readonly firstGuess: GuardRequest | null;
}

/** Nobody waits a block out here: an attack that waited would be over before anything of it was seen. */
const LONGEST_WAIT_MS = 250;

/** Where one attack meets a running service. Its accounts and addresses are its own and nobody's. */
export class LiveStage implements AttackStage {
  readonly #client: DecisionClient;
  readonly #action: string;
  readonly #name: string;
  readonly #addressOf: (ip: string) => string;
  readonly #endAtMs: number;
  readonly #fates = { trusted: { attempts: 0, refused: 0 }, known: { attempts: 0, refused: 0 } };
  #requests = 0;
  #guesses = 0;
  #withoutStore = 0;
  #firstGuess: GuardRequest | null = null;
  #firstGuessAt: number | null = null;
  #firstBlockAt: number | null = null;

  /**
   * @param name part of every account and device, so that two drills do not meet
   * @param addressOf moves an address of the attack to where it meets neither those of others nor anybody's
   */
  constructor(
    client: DecisionClient,
    action: string,
    name: string,
    addressOf: (ip: string) => string,
    endAtMs: number,
  ) {
    this.#client = client;
    this.#action = action;
    this.#name = name;
    this.#addressOf = addressOf;
    this.#endAtMs = endAtMs;
  }

  get isRunning(): boolean {
    return performance.now() < this.#endAtMs;
  }

  async wait(ms: number): Promise<void> {
    const leftMs = Math.max(0, this.#endAtMs - performance.now());
    await sleep(Math.min(ms, LONGEST_WAIT_MS, leftMs));
  }

  async guess(signals: Signals): Promise<Decision> {
    this.#firstGuessAt ??= performance.now();
    const request = this.#requestOf(signals);
    this.#firstGuess ??= request;
    const checked = await this.#ask('check', request);
    return isLetThrough(checked) ? this.#fail(request) : this.#noted(checked);
  }

  async guessAtOnce(signals: readonly Signals[]): Promise<readonly Decision[]> {
    this.#firstGuessAt ??= performance.now();
    const requests = signals.map((given) => this.#requestOf(given));
    const checks = await Promise.all(requests.map((request) => this.#ask('check', request)));
    return Promise.all(
      requests.map(async (request, index) => {
        const checked = checks[index];
        if (checked !== undefined && !isLetThrough(checked)) return this.#noted(checked);
        return this.#fail(request);
      }),
    );
  }

  async mistype(account: string, kind: OwnerKind): Promise<void> {
    const request = this.#ownerOf(account, kind);
    if (isLetThrough(await this.#ask('check', request))) await this.#ask('fail', request);
  }

  /** The store of a running service is not ours to break. */
  outage(): void {}

  /** An owner signs in with the right credentials. */
  async signIn(account: string, kind: 'trusted' | 'known'): Promise<void> {
    const request = this.#ownerOf(account, kind);
    const fate = this.#fates[kind];
    const isIn =
      isLetThrough(await this.#ask('check', request)) &&
      (await this.#ask('succeed', request)).outcome !== 'HARD_BLOCK';
    fate.attempts += 1;
    if (!isIn) fate.refused += 1;
  }

  result(): LiveResult {
    const firstBlockMs =
      this.#firstBlockAt === null || this.#firstGuessAt === null
        ? null
        : this.#firstBlockAt - this.#firstGuessAt;
    return {
      requests: this.#requests,
      guesses: this.#guesses,
      firstBlockMs,
      owners: this.#fates,
      withoutStore: this.#withoutStore,
      firstGuess: this.#firstGuess,
    };
  }

  async #fail(request: GuardRequest): Promise<Decision> {
    const ended = await this.#ask('fail', request);
    if (!isOvertaken(ended)) this.#guesses += 1;
    return this.#noted(ended);
  }

  #noted(decision: Decision): Decision {
    if (decision.outcome !== 'ALLOW') this.#firstBlockAt ??= performance.now();
    return decision;
  }

  async #ask(op: 'check' | 'fail' | 'succeed', request: GuardRequest): Promise<Decision> {
    this.#requests += 1;
    const decision = await this.#client.ask(op, request);
    if (decision.mode !== 'NORMAL') this.#withoutStore += 1;
    return decision;
  }

  #ownerOf(account: string, kind: OwnerKind): GuardRequest {
    return this.#requestOf(ownerSignals(account, kind));
  }

  #requestOf({ account, ip, ua, device }: Signals): GuardRequest {
    return {
      action: this.#action,
      account: `${this.#name} ${account}`,
      ip: this.#addressOf(ip),
      ua,
      device: device ? { ...device, id: `${this.#name} ${device.id}` } : null,
    };
  }
}
