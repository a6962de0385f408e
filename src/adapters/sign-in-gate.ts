import type { Decision } from '../core/decision.ts';
import type { Devices, ShownDevice } from '../device/index.ts';
import type { Guard } from '../guard/guard.ts';
import { signalBounds } from '../guard/signals.ts';
import { requestIdHeader } from '../limits/index.ts';
import { type Answer, type Arrival, type Awaitable, requestIdFor } from './arrival.ts';
import { type ClientAddress, type ClientAddressOptions, createClientAddress } from './client-address.ts';
import { attemptProblem, type DenialReason } from './sign-in-problem.ts';

/** How a sign-in is protected. `Args` is what the framework hands to its handlers. */
export interface ProtectOptions<Args extends readonly unknown[], T> extends ClientAddressOptions {
  /** What is attempted; a policy of the guard is bound to it. Default `auth.login`. */
  readonly action?: string | undefined;
  /** The account that is signed in to, as a blind index or an internal id; nothing is answered with 400. */
  readonly account: (...args: Args) => Awaitable<string | null | undefined>;
  /** Looks at the credentials: resolves to the user, or to null, undefined or false when they are wrong. */
  readonly verify: (...args: Args) => Awaitable<T | null | undefined | false>;
  /** Recognises devices and issues device tokens on success. Default: every device is missing. */
  readonly devices?: Devices | undefined;
}

/** What a handler knows of the sign-in that led to it. */
export interface SignIn<T> {
  /** What `verify` resolved to. */
  readonly value: T;
  readonly decision: Decision;
  readonly device: ShownDevice | null;
}

/** What became of a sign-in at the gate. */
export type SignInPassage<T> =
  | {
      readonly allowed: true;
      readonly headers: Answer['headers'];
      readonly signIn: SignIn<T>;
    }
  | { readonly allowed: false; readonly answer: Answer; readonly reason: DenialReason };

interface Attempted {
  readonly account: string;
  readonly ip: string;
  readonly ua: string | null;
  readonly device: ShownDevice | null;
  readonly action: string;
}

/** Asks a guard on behalf of a framework: check, verify, fail or succeed, and a device token for the next time. */
export class SignInGate<Args extends readonly unknown[], T> {
  readonly #guard: Guard;
  readonly #options: ProtectOptions<Args, T>;
  readonly #addressOf: ClientAddress;

  /** @throws Fault `CONFIG_INVALID` when an option is not well formed. */
  constructor(guard: Guard, options: ProtectOptions<Args, T>) {
    this.#guard = guard;
    this.#options = options;
    this.#addressOf = createClientAddress(options);
  }

  async pass(arrival: Arrival, ...args: Args): Promise<SignInPassage<T>> {
    const requestId = requestIdFor(arrival);
    const account = await this.#options.account(...args);
    if (!isAccount(account)) return denied('input', 0, requestId, arrival.path);
    const request = this.#requestOf(arrival, account);
    let looked = false;
    const { allowed, value, decision } = await this.#guard.attempt(request, () => {
      looked = true;
      return this.#options.verify(...args);
    });
    if (!allowed) {
      const wrong = looked && decision.outcome === 'ALLOW';
      return denied(wrong ? 'credentials' : 'blocked', decision.retryAfterMs, requestId, arrival.path);
    }
    return this.#admit(arrival, request, value, decision, requestId);
  }

  #requestOf({ header, peer }: Arrival, account: string): Attempted {
    const { action = 'auth.login', devices } = this.#options;
    return {
      action,
      account,
      ip: this.#addressOf(peer, header),
      ua: header('user-agent')?.slice(0, signalBounds.ua) || null,
      device: devices?.show(header, account) ?? null,
    };
  }

  /**
   * A device that gets its first token is told to the guard at once: an owner who has signed in here is trusted from
   * the first time on, whatever others try on the account meanwhile.
   */
  async #admit(
    { header, path }: Arrival,
    request: Attempted,
    value: T,
    decision: Decision,
    requestId: string,
  ): Promise<SignInPassage<T>> {
    const headers: [string, string][] = [[requestIdHeader, requestId]];
    const issued = this.#options.devices?.issue(header, request.account);
    if (issued === undefined)
      return { allowed: true, headers, signIn: { value, decision, device: request.device } };
    if (issued.device.id !== request.device?.id) {
      const bound = await this.#guard.succeed({ ...request, device: issued.device });
      if (bound.outcome === 'HARD_BLOCK') return denied('blocked', bound.retryAfterMs, requestId, path);
    }
    if (issued.setCookie !== null) headers.push(['Set-Cookie', issued.setCookie]);
    return { allowed: true, headers, signIn: { value, decision, device: issued.device } };
  }
}

function isAccount(account: string | null | undefined): account is string {
  if (typeof account !== 'string' || account === '') return false;
  return account.length <= signalBounds.account && !account.includes('\0');
}

function denied(
  reason: DenialReason,
  retryAfterMs: number,
  requestId: string,
  path: string,
): SignInPassage<never> {
  return { allowed: false, reason, answer: attemptProblem(reason, retryAfterMs, requestId, path) };
}
