import { type LoginEntry, loginEntry, type RequestEntry } from '../../abuse/log-formats/log-entry.ts';
import { Fault, shapeOf } from '../../core/fault.ts';
import { isPathPattern } from '../../limits/path-pattern.ts';
import { RouteTable } from '../../limits/route-table.ts';

const routeShape = /^(?:([A-Za-z]{1,16}) +)?(\/\S*)$/;

/** Says which requests of an access log are logins, and how they ended. */
export class LoginRoutes {
  readonly #routes: RouteTable;
  readonly #failing: ReadonlySet<number>;

  /**
   * @param routes as `POST /login` or `/login`, with the patterns of route costs
   * @param failing statuses, separated by commas
   * @throws Fault `INPUT_INVALID` when one is not what it must be
   */
  constructor(routes: readonly string[], failing: string) {
    this.#routes = new RouteTable(routes.map(routeOf), 1);
    this.#failing = new Set(failing.split(',').map(statusOf));
  }

  /** The login that a request was; `nameless` when the log does not say whose; null when it was none, or nobody knows how it ended. */
  attemptOf({ method, path, status, user, t, ip, ua }: RequestEntry): LoginEntry | 'nameless' | null {
    if (this.#routes.find(method, path).name === 'other') return null;
    const isFailed = this.#failing.has(status);
    if (!isFailed && (status < 200 || status >= 400)) return null;
    if (user === null) return 'nameless';
    return loginEntry(isFailed ? 'fail' : 'succeed', { t, account: user, ip, ua });
  }
}

function routeOf(text: string): { readonly method?: string; readonly path: string } {
  const [, method, path] = routeShape.exec(text.trim()) ?? [];
  if (path === undefined || !isPathPattern(path)) {
    throw new Fault('INPUT_INVALID', `--login must be a route such as "POST /login", got ${shapeOf(text)}`);
  }
  return method === undefined ? { path } : { method, path };
}

function statusOf(text: string): number {
  const status = Number(text);
  if (Number.isInteger(status) && status >= 100 && status < 600) return status;
  throw new Fault('INPUT_INVALID', `--login-fails must be statuses such as 401,403, got ${shapeOf(text)}`);
}
