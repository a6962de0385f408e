import type { Decision } from '../core/decision.ts';
import type { Devices, IssuedDevice, ShownDevice } from '../device/index.ts';
import { type AttemptOptions, attemptThen, lookAgain } from '../guard/attempt.ts';
import type { Guard } from '../guard/guard.ts';
import { isAccountText, signalBounds } from '../guard/signals.ts';
import { requestIdHeader } from '../limits/index.ts';
import { type Answer, type Arrival, type Awaitable, requestIdFor } from './arrival.ts';
import { type ClientAddress, type ClientAddressOptions, createClientAddress } from './client-address.ts';
import { attemptProblem, type DenialReason } from './sign-in-problem.ts';
import { coverQuota } from './sign-ins.ts';

/** What is attempted where nobody says it. */
export const defaultAction = 'auth.login';

/** How a sign-in is protected. `Args` is what the framework hands to its handlers. */
export interface ProtectOptions<Args extends readonly unknown[], T>
  extends ClientAddressOptions,
    AttemptOptions {
  /** What is attempted; a policy of the guard is bound to it. Default `auth.login`. */
  readonly action?: string | undefined;
  /**
   * The account that is signed in to, as a blind index or an internal id. Nothing, and what is no text, a number for one,
   * is answered with 400: it may be what the client has sent.
   */
  readonly account: (...args: Args) => Awaitable<string | null | undefined>;
  /** Looks at the credentials: resolves to the user, or to null, undefined or false when they are wrong. */
  readonly verify: (...args: Args) => Awaitable<T | null | undefined | false>;
  /** Recognises devices, and issues device tokens after the last factor. Default: every device is missing. */
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
  | SignInDenial;

/** A sign-in that was not let through. */
export interface SignInDenial {
  readonly allowed: false;
  readonly answer: Answer;
  readonly reason: DenialReason;
}

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
    coverQuota(arrival);
    const requestId = requestIdFor(arrival);
    const account = await this.#options.account(...args);
    if (!isAccount(account)) return denied('input', 0, requestId, arrival.path);
    const request = this.#requestOf(arrival, account);
    let looked = false;
    const verify = () => {
      looked = true;
      return this.#options.verify(...args);
    };
    let issued: IssuedDevice | null = null;
    const conclude = async (checked: Decision): Promise<Decision> => {
      if (this.#options.isLastFactor === false) return lookAgain(this.#guard, request, checked);
      const concluded = await this.#succeed(arrival, request, checked);
      issued = concluded.issued;
      return concluded.decision;
    };
    const { allowed, value, decision } = await attemptThen(this.#guard, request, verify, conclude);
    if (!allowed) {
      const wrong = looked && decision.outcome === 'ALLOW';
      return denied(wrong ? 'credentials' : 'blocked', decision.retryAfterMs, requestId, arrival.path);
    }
    return admitted(value, decision, request.device, issued, requestId);
  }

  #requestOf({ header, peer }: Arrival, account: string): Attempted {
    const { action = defaultAction, devices } = this.#options;
    return {
      action,
      account,
      ip: this.#addressOf(peer, header),
      ua: header('user-agent')?.slice(0, signalBounds.ua) || null,
      device: devices?.show(header, account) ?? null,
    };
  }

  /**
   * A device that gets its first token is what succeeds, and not the one that was shown before it: an owner who has signed
   * in here is trusted from the first time on, and nobody has come with two new devices. Where a block stops it because
   * the account does not know it, the one that was shown may be known, and goes without a token.
   */
  async #succeed({ header }: Arrival, request: Attempted, checked: Decision): Promise<Concluded> {
    const issued = this.#options.devices?.issue(header, request.account) ?? null;
    const isNew = issued !== null && issued.device.id !== request.device?.id;
    // Without the store nothing would be bound, and another device would count as another attempt.
    if (isNew && checked.mode === 'NORMAL') {
      const decision = await this.#guard.succeed({ ...request, device: issued.device });
      const isBound = decision.mode === 'NORMAL';
      if (decision.outcome !== 'HARD_BLOCK') return { decision, issued: isBound ? issued : null };
    }
    return { decision: await this.#guard.succeed(request), issued: isNew ? null : issued };
  }
}

interface Concluded {
  readonly decision: Decision;
  /** Null where no token goes out. */
  readonly issued: IssuedDevice | null;
}

function admitted<T>(
  value: T,
  decision: Decision,
  shown: ShownDevice | null,
  issued: IssuedDevice | null,
  requestId: string,
): SignInPassage<T> {
  const headers: [string, string][] = [[requestIdHeader, requestId]];
  if (issued !== null && issued.setCookie !== null) headers.push(['Set-Cookie', issued.setCookie]);
  return { allowed: true, headers, signIn: { value, decision, device: issued?.device ?? shown } };
}

function isAccount(account: string | null | undefined): account is string {
  return typeof account === 'string' && isAccountText(account);
}

function denied(reason: DenialReason, retryAfterMs: number, requestId: string, path: string): SignInDenial {
  return { allowed: false, reason, answer: attemptProblem(reason, retryAfterMs, requestId, path) };
}
