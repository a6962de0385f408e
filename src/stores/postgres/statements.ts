import type { Statement } from './connections.ts';
import { type Inlinable, inlined } from './inlined.ts';

/** Every statement of the store, for the tables of one schema. The functions stand in `migrations/`. */
export interface Statements {
  /** keys → (time, key, version, value, expiry); one row at least, its key is null where there is no record. */
  readonly read: Statement;
  /** The parameters and rows of `commit_groups`. */
  readonly commit: Statement;
  /** (tag, keys, time limit in milliseconds) → the rows of `read`. A script that begins a transaction which has the lock. */
  lockAndRead(tag: string, keys: readonly string[], limitMs: number): string;
  /** The parameters of `commit_groups` → its rows. A script that commits the transaction. */
  commitAndUnlock(values: readonly Inlinable[]): string;
  /** (first key, after that key, number) → (time, key, value, expiry, end of the block). */
  readonly held: Statement;
  /** (key, its unreadable value, the key it is kept under, for how long) → the key, if it was set aside. */
  readonly setAside: Statement;
  /** Script: drops expired records. Its time limit is its own, since nobody waits for it. */
  sweep(maxRecords: number, limitMs: number): string;
}

export function statementsFor(schema: string): Statements {
  const named = (name: string, text: string): Statement => ({ name: `${schema}_${name}`, text });
  const read = named('read', `SELECT now, key, version, value, expires_at FROM "${schema}".read_records($1)`);
  const commit = named(
    'commit',
    `SELECT kind, of_group, key, version, value, expires_at
       FROM "${schema}".commit_groups($1, $2, $3, $4, $5, $6, $7, $8)`,
  );
  const lock = { text: `SELECT pg_advisory_xact_lock("${schema}".group_lock($1))` };
  return {
    read,
    commit,
    lockAndRead: (tag, keys, limitMs) =>
      [
        'BEGIN ISOLATION LEVEL READ COMMITTED',
        `SET LOCAL lock_timeout = ${limitMs}`,
        `SET LOCAL idle_in_transaction_session_timeout = ${limitMs}`,
        inlined(lock, [tag]),
        inlined(read, [keys]),
      ].join('; '),
    commitAndUnlock: (values) => `${inlined(commit, values)}; COMMIT`,
    held: named(
      'held',
      `SELECT "${schema}".now_ms(), r.key, r.value, r.expires_at, r.held_until
         FROM "${schema}".records AS r
         WHERE r.held_until > 0 AND r.key >= $1 AND r.key > $2
         ORDER BY r.key LIMIT $3`,
    ),
    setAside: named(
      'set_aside',
      `WITH gone AS (DELETE FROM "${schema}".records WHERE key = $1 AND value = $2 RETURNING value)
         INSERT INTO "${schema}".records AS r (key, version, value, expires_at, held_until)
         SELECT $3, pg_current_xact_id()::text::bigint, gone.value, "${schema}".now_ms() + $4::bigint, 0 FROM gone
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at
         RETURNING r.key`,
    ),
    sweep: (maxRecords, limitMs) =>
      `BEGIN; SET LOCAL statement_timeout = ${limitMs}; SELECT "${schema}".sweep(${maxRecords}); COMMIT`,
  };
}
