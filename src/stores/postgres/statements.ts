import type { Statement } from './connections.ts';

/** Every statement of the store, for the tables of one schema. The functions stand in `migrations/`. */
export interface Statements {
  /** keys → (time, key, version, value, expiry); one row at least, its key is null where there is no record. */
  readonly read: Statement;
  /** The parameters and rows of `commit_groups`. */
  readonly commit: Statement;
  /** (first key, after that key, number) → (time, key, value, expiry, end of the block). */
  readonly held: Statement;
  /** → (whether only reads are possible). */
  readonly ping: Statement;
  /** Script: drops expired records. Its time limit is its own, since nobody waits for it. */
  sweep(maxRecords: number, limitMs: number): string;
}

export function statementsFor(schema: string): Statements {
  const named = (name: string, text: string): Statement => ({ name: `${schema}_${name}`, text });
  return {
    read: named(
      'read',
      `SELECT "${schema}".now_ms(), r.key, r.version, r.value, r.expires_at
         FROM (VALUES (1)) AS always LEFT JOIN "${schema}".records AS r ON r.key = ANY ($1::text[])`,
    ),
    commit: named(
      'commit',
      `SELECT kind, of_group, key, version, value, expires_at
         FROM "${schema}".commit_groups($1, $2, $3, $4, $5, $6, $7, $8)`,
    ),
    held: named(
      'held',
      `SELECT "${schema}".now_ms(), r.key, r.value, r.expires_at, r.held_until
         FROM "${schema}".records AS r
         WHERE r.held_until > 0 AND r.key >= $1 AND r.key > $2
         ORDER BY r.key LIMIT $3`,
    ),
    ping: named('ping', `SELECT current_setting('transaction_read_only') = 'on'`),
    sweep: (maxRecords, limitMs) =>
      `BEGIN; SET LOCAL statement_timeout = ${limitMs}; SELECT "${schema}".sweep(${maxRecords}); COMMIT`,
  };
}
