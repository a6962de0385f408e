import type { Decision } from '../../core/decision.ts';
import type { GuardRequest } from '../../guard/signals.ts';

export type Signals = Omit<GuardRequest, 'action'>;

/** By the device they show: bound by an earlier success, known from one, or never seen. */
export type OwnerKind = 'trusted' | 'known' | 'new';

/** What an attack can do, in simulated time or against a running service. */
export interface AttackStage {
  readonly isRunning: boolean;
  /** Lets time pass, up to the end of the attack at most. */
  wait(ms: number): Promise<void>;
  /** One guess from check to fail. */
  guess(signals: Signals): Promise<Decision>;
  /** Guesses of which all are checked before the first of them ends. */
  guessAtOnce(signals: readonly Signals[]): Promise<readonly Decision[]>;
  /** An owner mistypes. */
  mistype(account: string, kind: OwnerKind): Promise<void>;
  /** Lets the store fail from now on, or be well again. */
  outage(isOut: boolean): void;
}
