import { readFileSync } from 'node:fs';
import type { Connections, Session } from './connections.ts';

/** Making tables takes longer than a call may, and happens once. */
const limitMs = 30_000;

interface Migration {
  readonly version: number;
  readonly script: string;
}

/** Each file is named in full, for the build to put its text in the place of the call: a bundle has no files beside it. */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    script: readFileSync(new URL('./migrations/0001-records.sql', import.meta.url), 'utf8'),
  },
];

/**
 * Brings the schema up to date: runs every script of `migrations/` that it has not had, in one transaction. Each script notes
 * itself, so that one which was run by hand is not run again; where one of the tables is gone, all of them are. Nodes that start together take turns. A role without the right to make tables will do once the scripts were run.
 */
export async function migrate(connections: Connections, schema: string): Promise<void> {
  const missing = await connections.use((session) => missingIn(session, schema), limitMs);
  if (missing.length === 0) return;
  await connections.transaction((session) => runMissing(session, schema), limitMs);
}

async function runMissing(session: Session, schema: string): Promise<void> {
  await session.script(
    `BEGIN; SET LOCAL statement_timeout = ${limitMs}; SET LOCAL lock_timeout = ${limitMs}`,
  );
  const lock = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 8470))';
  await session.run({ text: lock }, [`portcullis migrations of ${schema}`]);
  const [found] = await session.run({ text: 'SELECT to_regnamespace($1) IS NULL' }, [`"${schema}"`]);
  if (found?.[0] === true) await session.script(`CREATE SCHEMA "${schema}"`);
  for (const { script } of await missingIn(session, schema)) {
    await session.script(script.replaceAll(':"schema"', `"${schema}"`));
  }
  await session.script('COMMIT');
}

async function missingIn(session: Session, schema: string): Promise<Migration[]> {
  for (const table of ['migrations', 'records']) {
    const [found] = await session.run({ text: 'SELECT to_regclass($1) IS NULL' }, [`"${schema}".${table}`]);
    if (found?.[0] === true) return [...migrations];
  }
  const rows = await session.run({ text: `SELECT version FROM "${schema}".migrations` });
  const had = new Set(rows.map(([version]) => Number(version)));
  return migrations.filter(({ version }) => !had.has(version));
}
