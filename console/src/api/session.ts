import { createCell } from '../state/cell.ts';

const TOKEN_ITEM = 'portcullis.token';
const NAME_ITEM = 'portcullis.operator';

/** `unknown` until the service has answered once, `asked` when it wants a token, `in` when it has answered. */
export interface Session {
  readonly stage: 'unknown' | 'asked' | 'in';
  readonly token: string | null;
  /** Why somebody stands at the door; null: because a token is asked for. */
  readonly why: string | null;
}

/** The token lives as long as the tab: sessionStorage, never localStorage, never a cookie. */
export const session = createCell<Session>({
  stage: 'unknown',
  token: sessionStorage.getItem(TOKEN_ITEM),
  why: null,
});

/** Keeps a token that the service has accepted. */
export function enter(token: string | null): void {
  if (token === null) sessionStorage.removeItem(TOKEN_ITEM);
  else sessionStorage.setItem(TOKEN_ITEM, token);
  session.set({ stage: 'in', token, why: null });
}

export function leave(): void {
  sessionStorage.removeItem(TOKEN_ITEM);
  session.set({ stage: 'asked', token: null, why: null });
}

/** Who acts, for the audit log; remembered while the tab lives. */
export const operatorName = {
  get: (): string => sessionStorage.getItem(NAME_ITEM) ?? '',
  set: (name: string): void => sessionStorage.setItem(NAME_ITEM, name),
};
