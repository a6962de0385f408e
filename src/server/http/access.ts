import type { IncomingMessage } from 'node:http';
import { showsProxy } from '../../connections/proxy-signs.ts';
import { addressOf, isTranslated } from '../../identity/address-ranges.ts';
import type { Role, Route } from '../route.ts';
import type { ProblemCode } from './problem.ts';
import type { TokenBook } from './token-book.ts';

/** Who is let in, or why nobody is. */
export type Admission =
  | { readonly allowed: true; readonly caller: string | null }
  | { readonly allowed: false; readonly code: ProblemCode; readonly detail: string };

/** `operate` may everything that `observe` may; `decide` is apart from both: a proxy must not lift a block. */
export const rolesOf: Readonly<Record<Role, readonly Role[]>> = {
  decide: ['decide'],
  observe: ['observe'],
  operate: ['operate', 'observe'],
};

/** A header of its own: where a proxy asks on behalf of a visitor, `Authorization` may be the visitor's. */
export const tokenHeader = 'x-portcullis-token';

const anybody: Admission = { allowed: true, caller: null };

/** Decides who may ask a route. */
export class Access {
  readonly #tokens: TokenBook;
  readonly #onProxy: () => void;
  #hasSeenProxy = false;

  /** @param onProxy told once, when somebody comes through a proxy for what operators see and do, and there are no tokens */
  constructor(tokens: TokenBook, onProxy: () => void = () => {}) {
    this.#tokens = tokens;
    this.#onProxy = onProxy;
  }

  admit(request: IncomingMessage, route: Pick<Route, 'role' | 'fromProxies' | 'ownAccess'>): Admission {
    if (route.ownAccess) return anybody;
    if (this.#tokens.isEmpty) return this.#admitLocal(request, route);
    if (route.role === null) return anybody;
    const { [tokenHeader]: own, authorization } = request.headers;
    const presented = presentedToken(typeof own === 'string' ? own : undefined, authorization);
    if (presented === null) {
      return refused('TOKEN_MISSING', 'This needs a token: Authorization: Bearer … or X-Portcullis-Token.');
    }
    const holder = this.#tokens.find(presented);
    if (holder === null) return refused('TOKEN_UNKNOWN', 'The token is none of the configured ones.');
    if (rolesOf[holder.role].includes(route.role)) return { allowed: true, caller: holder.name };
    return refused('ROLE_MISSING', `This needs a token with the role "${route.role}".`);
  }

  /**
   * Without any token only this machine is served. A browser on this machine may be led here by a page from elsewhere, by
   * name (its `Host` is not ours) or across sites; and a proxy on this machine may bring in the whole world. What operators
   * see and do is kept from both.
   */
  #admitLocal(request: IncomingMessage, { role, fromProxies }: Pick<Route, 'role' | 'fromProxies'>) {
    const { headers, socket } = request;
    if (!isLoopback(socket.remoteAddress)) {
      return refused('LOOPBACK_ONLY', 'No tokens are configured: only this machine is served.');
    }
    if (fromProxies) return anybody;
    if (!isLocalHost(headers.host) || isCrossSite(headers.origin, headers.host, headers['sec-fetch-site'])) {
      return refused(
        'CROSS_SITE',
        'No tokens are configured: pages of other sites and names are not served.',
      );
    }
    if (role === 'decide' || role === null || !showsProxy(request)) return anybody;
    this.#tellOfProxy();
    return refused('LOOPBACK_ONLY', 'No tokens are configured: this is not served through a proxy.');
  }

  #tellOfProxy(): void {
    if (this.#hasSeenProxy) return;
    this.#hasSeenProxy = true;
    this.#onProxy();
  }
}

const refused = (code: ProblemCode, detail: string): Admission => ({ allowed: false, code, detail });

/**
 * The token that a caller shows; null when it shows none.
 *
 * @param own what it sent as {@link tokenHeader}
 */
export function presentedToken(own: string | undefined, authorization: string | undefined): string | null {
  if (own !== undefined && own !== '') return own;
  if (authorization === undefined || !/^bearer /i.test(authorization)) return null;
  const token = authorization.slice('bearer '.length).trim();
  return token === '' ? null : token;
}

/** Whether a socket's address is one of this machine alone. */
export function isLoopback(address: string | undefined): boolean {
  if (address === '127.0.0.1' || address === '::1' || address === '::ffff:127.0.0.1') return true;
  const text = addressOf(address);
  if (address === undefined || text === null || isTranslated(address, text)) return false;
  return text === '::1' || text.startsWith('127.');
}

/** Nearly every request names the service as the one before did. */
let knownLocalHost = 'localhost';

const localHost = /^(localhost|[\w-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

function isLocalHost(host: string | undefined): boolean {
  if (host === undefined || host === knownLocalHost) return true;
  if (!localHost.test(host)) return false;
  knownLocalHost = host;
  return true;
}

function isCrossSite(origin: string | undefined, host: string | undefined, site: unknown): boolean {
  if (site === 'cross-site' || site === 'same-site') return true;
  return origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`;
}
