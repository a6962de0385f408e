import type { Cluster, Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { createGuard, type Decision } from '../src/index.ts';
import type { Store } from '../src/stores/store.ts';

/** The login attempts of the benches on Redis, ours and the peer's. */

/** Subjects with a failure behind them, which checks are about. Failures are about new ones: else all were blocked soon. */
const known = 5_000;
/** Those of clients that try again and again. */
const returning = 1_000;

export interface Login {
  readonly account: string;
  readonly ip: string;
  readonly ua: string;
  readonly device: string;
}

type Attempt = (login: Login) => Promise<unknown>;

/** Check and fail of a system. */
export interface Logins {
  readonly check: Attempt;
  readonly fail: Attempt;
}

export function loginsOf(store: Store): Logins {
  const secret = 'a secret of the bench, long enough';
  const guard = createGuard({ store, secret, environment: 'bench', failure: { deadlineMs: null } });
  const onStore = async (deciding: Promise<Decision>): Promise<void> => {
    const { mode } = await deciding;
    if (mode !== 'NORMAL') throw new TypeError(`The guard decided without the store, in mode ${mode}.`);
  };
  const requestOf = ({ account, ip, ua, device }: Login) =>
    ({ action: 'auth.login', account, ip, ua, device: { id: device, confidence: 'MEDIUM' } }) as const;
  return {
    check: (login) => onStore(guard.check(requestOf(login))),
    fail: (login) => onStore(guard.fail(requestOf(login))),
  };
}

export function limitersOf(storeClient: Redis | Cluster): Logins {
  const limiters = ['account', 'ip', 'agent', 'device'].map(
    (keyPrefix) => new RateLimiterRedis({ storeClient, keyPrefix, points: 1_000_000_000, duration: 259_200 }),
  );
  const keysOf = ({ account, ip, ua, device }: Login) => [account, ip, `${ip} ${ua}`, device];
  const all = (login: Login, use: (limiter: RateLimiterRedis, key: string) => Promise<unknown>) => {
    const keys = keysOf(login);
    return Promise.all(limiters.map((limiter, index) => use(limiter, keys[index] ?? '')));
  };
  return {
    check: (login) => all(login, (limiter, key) => limiter.get(key)),
    fail: (login) => all(login, (limiter, key) => limiter.consume(key, 1)),
  };
}

/** Gives everybody that checks are about a failure. */
export async function makeKnown({ fail }: Logins): Promise<void> {
  for (let index = 0; index < known; index += 1) await fail(loginOf(index));
}

function loginOf(index: number): Login {
  const ip = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  return {
    account: `account-${index}`,
    ip,
    ua: 'Mozilla/5.0 Chrome/140.0.0.0 Safari/537.36',
    device: `device-${index}`,
  };
}

let used = 0;
export function knownLogin(): Login {
  used = (used + 1) % known;
  return loginOf(used);
}

let back = 0;
export function returningLogin(): Login {
  back = (back + 1) % returning;
  return loginOf(known + back);
}

let made = known + returning;
export function newLogin(): Login {
  made += 1;
  return loginOf(made);
}
