import { type PostgresStoreOptions, settingsOf } from './options.ts';
import { OwnPool } from './own-pool.ts';
import { PooledPostgresStore, type PostgresStore } from './postgres-store.ts';

export type { PostgresStoreOptions } from './options.ts';
export type { PostgresClient, PostgresPool } from './pool.ts';
export type { PostgresStore } from './postgres-store.ts';

/**
 * A store in PostgreSQL 13 or later. It connects at the first call and then makes its tables where they are missing;
 * `ready()` does so ahead of time.
 *
 * Each operation ends by its deadline: with `STORE_TIMEOUT` if no answer came, with `STORE_FAILED` if the server
 * cannot be reached or refused, with `STORE_CONFLICT` if it met more deadlocks or serialisation failures than it
 * retries, with `STORE_FULL` if the server's disk is full. A commit whose answer was lost may or may not have been
 * written; it is never sent again.
 *
 * @throws Fault `CONFIG_INVALID` when an option is unknown, of the wrong type or contradicts another one.
 */
export function createPostgresStore(options: PostgresStoreOptions): PostgresStore {
  const settings = settingsOf(options);
  const pool = options.pool ?? new OwnPool(options.connectionString ?? '', settings);
  return new PooledPostgresStore(pool, settings);
}
