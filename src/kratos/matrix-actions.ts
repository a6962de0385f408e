import type { Policy } from '../core/policy.ts';
import type { LoginGuess } from './login-form.ts';

/** The action that each kind of guess is known to the guard by. */
export const matrixActions: Readonly<Record<LoginGuess, string>> = {
  password: 'auth.login',
  code: 'auth.otp',
};

/** What is missing for the engine to stand in front of Kratos: actions that no policy about credentials is bound to. */
export function missingActions(policies: readonly Policy[]): readonly string[] {
  const bound = policies.filter(({ kind }) => kind === 'credential').flatMap(({ actions }) => actions);
  return Object.values(matrixActions).filter((action) => !bound.includes(action));
}

/** The same in words, for whoever has configured it. */
export const missingActionsText = (missing: readonly string[]): string =>
  `matrix needs policies about credentials that are bound to ${missing.join(' and ')}`;
