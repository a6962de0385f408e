import type { Key } from '../../core/records.ts';
import { QUARANTINE_MS, QUARANTINE_PREFIX } from '../quarantine.ts';
import { recordOfJson } from '../record-json.ts';
import { formsOf } from '../step-records.ts';
import { ifReadable } from '../unreadable.ts';
import type { Connections } from './connections.ts';
import type { Statements } from './statements.ts';

/** Sets aside those of the records that cannot be read; returns how many there were. One that has changed meanwhile stays. */
export async function setAside(
  connections: Connections,
  statements: Statements,
  keys: readonly Key[],
): Promise<number> {
  const forms = formsOf(keys);
  const rows = await connections.use((session) => session.run(statements.read, [[...forms.keys()]]));
  let moved = 0;
  for (const [, key, , json] of rows) {
    if (key === null || isReadable(String(json), forms.get(String(key)))) continue;
    const kept = `${QUARANTINE_PREFIX}${String(key)}`;
    const values = [String(key), String(json), kept, QUARANTINE_MS];
    const done = await connections.use((session) => session.run(statements.setAside, values));
    moved += done.length;
  }
  return moved;
}

function isReadable(json: string, form: string | undefined): boolean {
  return ifReadable(() => recordOfJson(json, form)) !== undefined;
}
