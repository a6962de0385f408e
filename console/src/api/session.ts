import { createCell } from '../state/cell.ts';

const TOKEN_ITEM = 'portcullis.token';
const NAME_ITEM = 'portcullis.operator';

/** `unknown` until the service has answered once, `asked` when it wants a token, `in` when it has answered. */
export interface Session {
  readonly stage: 'unknown' | 'asked' | 'in';
  readonly token: string | null;
  /** Why somebody stands at the door; null: because a token is asked for. */
  readonly why: string | null;
  /** Whether the tab had a token that the service does not take any more. */
  readonly isEnded: boolean;
}

/** The token lives as long as the tab: sessionStorage, never localStorage, never a cookie. */
export const session = createCell<Session>({
  stage: 'unknown',
  token: sessionStorage.getItem(TOKEN_ITEM),
  why: null,
  isEnded: false,
});

/** Keeps a token that the service has accepted. */
export function enter(token: string | null): void {
  if (token === null) sessionStorage.removeItem(TOKEN_ITEM);
  else sessionStorage.setItem(TOKEN_ITEM, token);
  session.set({ stage: 'in', token, why: null, isEnded: false });
}

/** Signs out. */
export function leave(): void {
  askForToken(false);
}

/**
 * Forgets the token and asks for one. Who comes with it acts in a name of their own.
 *
 * @param isEnded whether there was one, which the service has refused
 */
export function askForToken(isEnded: boolean): void {
  sessionStorage.removeItem(TOKEN_ITEM);
  sessionStorage.removeItem(NAME_ITEM);
  session.set({ stage: 'asked', token: null, why: null, isEnded });
}

/** Who acts, for the audit log; remembered until their session ends or the tab closes. */
export const operatorName = {
  get: (): string => sessionStorage.getItem(NAME_ITEM) ?? '',
  set: (name: string): void => sessionStorage.setItem(NAME_ITEM, name),
};
