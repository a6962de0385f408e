import { readdir, readFile } from 'node:fs/promises';
import type { Connections, Session } from './connections.ts';

const folder = new URL('./migrations/', import.meta.url);
/** Making tables takes longer than a call may, and happens once. */
const limitMs = 30_000;

interface Migration {
  readonly version: number;
  readonly file: string;
}

/**
 * Brings the schema up to date: runs every script of `migrations/` that it has not had, in one transaction. Each script notes
 * itself, so that one which was run by hand is not run again; where the records themselves are gone, all of them are. Nodes that start together take turns. A role without the right to make tables will do once the scripts were run.
 */
export async function migrate(connections: Connections, schema: string): Promise<void> {
  const migrations = await listMigrations();
  const missing = await connections.use((session) => missingIn(session, schema, migrations), limitMs);
  if (missing.length === 0) return;
  await connections.transaction((session) => runMissing(session, schema, migrations), limitMs);
}

async function runMissing(session: Session, schema: string, migrations: readonly Migration[]): Promise<void> {
  await session.script(
    `BEGIN; SET LOCAL statement_timeout = ${limitMs}; SET LOCAL lock_timeout = ${limitMs}`,
  );
  const lock = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 8470))';
  await session.run({ text: lock }, [`portcullis migrations of ${schema}`]);
  const [found] = await session.run({ text: 'SELECT to_regnamespace($1) IS NULL' }, [`"${schema}"`]);
  if (found?.[0] === true) await session.script(`CREATE SCHEMA "${schema}"`);
  for (const { file } of await missingIn(session, schema, migrations)) {
    const script = await readFile(new URL(file, folder), 'utf8');
    await session.script(script.replaceAll(':"schema"', `"${schema}"`));
  }
  await session.script('COMMIT');
}

async function missingIn(
  session: Session,
  schema: string,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  for (const table of ['migrations', 'records']) {
    const [found] = await session.run({ text: 'SELECT to_regclass($1) IS NULL' }, [`"${schema}".${table}`]);
    if (found?.[0] === true) return [...migrations];
  }
  const rows = await session.run({ text: `SELECT version FROM "${schema}".migrations` });
  const had = new Set(rows.map(([version]) => Number(version)));
  return migrations.filter(({ version }) => !had.has(version));
}

/** `0001-records.sql` is version 1. */
async function listMigrations(): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return files.map((file) => ({ version: Number.parseInt(file, 10), file }));
}
