import type { EventHub } from '../guard/events.ts';
import type { BreakerStatus } from '../guard/failure/timed-breaker.ts';
import type { KratosEvents, LoginOutcome } from './events.ts';
import type { LoginGuess } from './login-form.ts';
import type { Allowed, Blocked, Verdict } from './verdict.ts';

/** One submitted login. */
export interface LoginAttempt {
  /** Every account it names, normalised, each once. */
  readonly identifiers: readonly string[];
  /** The canonical text of the client's address; null where it is not known. */
  readonly ip: string | null;
  /** What may be guessed, each once. */
  readonly guesses: readonly LoginGuess[];
  /** Whether something is guessed at all. */
  readonly hasCredential: boolean;
  /** Whether a success proves that the one identifier is the caller's. */
  readonly provesIdentifier: boolean;
  /** The raw `User-Agent`. */
  readonly ua: string | null;
}

/** What stands in front of Kratos's login: two counters, or the whole engine. */
export interface LoginBackoff {
  readonly events: EventHub<KratosEvents>;
  /** Before the credentials are looked at. */
  attempt(login: LoginAttempt): Promise<Verdict>;
  /**
   * How a login that was allowed has ended. A `Blocked` means: refuse it all the same. Without a promise where there is
   * nothing to do, which is mostly: a failure has been counted before it happened.
   */
  settle(login: LoginAttempt, verdict: Allowed, outcome: LoginOutcome): Promise<Blocked | null> | null;
  /** How it stands on this node. */
  status(): BreakerStatus;
  close(): void;
}
