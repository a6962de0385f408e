import { type RedisStoreOptions, settingsOf } from './options.ts';
import { DrivenRedisCounters, type RedisCounters } from './redis-counters.ts';
import { DrivenRedisStore, type RedisStore } from './redis-store.ts';

export type { GivenClient } from './drivers/driver-of.ts';
export type { SentinelOptions } from './drivers/node-redis-sources.ts';
export type { RedisStoreOptions } from './options.ts';
export type { RedisCounters } from './redis-counters.ts';
export type { RedisStore } from './redis-store.ts';

/**
 * A store in Redis 6.2 or later, Valkey or KeyDB: one server, a master behind Sentinels, or a cluster. It connects in
 * the background and keeps itself connected until it is closed; `ready()` waits for the first connection.
 *
 * Each operation ends by its deadline: with `STORE_TIMEOUT` if no answer came, with `STORE_FAILED` if there is no
 * connection or the server refused, with `CONFIG_INVALID` if the package `redis` is not installed. A commit whose answer was
 * lost may or may not have been written; it is never sent again.
 *
 * @throws Fault `CONFIG_INVALID` when an option is unknown, of the wrong type or contradicts another one.
 */
export function createRedisStore(options: RedisStoreOptions = {}): RedisStore {
  const { driver, deadlineMs } = settingsOf(options);
  return new DrivenRedisStore(driver, deadlineMs);
}

/**
 * Plain counters in a Redis, which other programs may share: what `INCR` and `EXPIRE` would leave there. Connects and keeps
 * its deadlines as the store does.
 *
 * @throws Fault `CONFIG_INVALID` when an option is unknown, of the wrong type or contradicts another one.
 */
export function createRedisCounters(options: RedisStoreOptions = {}): RedisCounters {
  const { driver, deadlineMs } = settingsOf(options);
  return new DrivenRedisCounters(driver, deadlineMs);
}
