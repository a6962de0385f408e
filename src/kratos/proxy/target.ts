import { percentDecoded } from '../byte-text.ts';

/** Where a request goes. */
export interface Target {
  /** Path and query, as they are sent on. */
  readonly path: string;
  /** Without its question mark. */
  readonly query: string;
  /** Whether a POST here submits a login. */
  readonly isLogin: boolean;
}

const loginPath = '/self-service/login';

/**
 * Reads the target of a request: a path, or a whole URL, as clients of forward proxies send it. Null for anything else, and
 * for one with a fragment: no client sends it, and to Kratos it would be a part of the path.
 *
 * Whether it is the login is judged generously: Kratos decodes a path before it looks at it, so escapes, doubled
 * slashes and dots are undone here too. A path that Kratos would not take for the login is counted at worst.
 */
export function readTarget(url: string): Target | null {
  if (url.includes('#')) return null;
  const path = url.startsWith('/') ? url : (/^https?:\/\/[^/?#]*(.*)$/is.exec(url)?.[1] ?? null);
  if (path === null) return null;
  const sent = path.startsWith('/') ? path : `/${path}`;
  const cut = sent.indexOf('?');
  const query = cut < 0 ? '' : sent.slice(cut + 1);
  return { path: sent, query, isLogin: isLoginPath(cut < 0 ? sent : sent.slice(0, cut)) };
}

/**
 * Of any length: nothing keeps a client from writing thousands of slashes. Whatever may stand before it: where Kratos has
 * a prefix, dots can lead up and down again.
 */
function isLoginPath(path: string): boolean {
  return path === loginPath || cleaned(percentDecoded(path)).toLowerCase().endsWith(loginPath);
}

/** Without empty steps, dots and a slash at the end. */
function cleaned(path: string): string {
  const steps: string[] = [];
  for (const step of path.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return `/${steps.join('/')}`;
}
