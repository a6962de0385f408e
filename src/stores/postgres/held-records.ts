import { recordOfJson } from '../record-json.ts';
import type { HeldRecord } from '../store.ts';
import { ifReadable } from '../unreadable.ts';
import type { Connections } from './connections.ts';
import type { Statements } from './statements.ts';

const pageSize = 500;

/**
 * Pages through the records with a block, in key order. A page takes so many rows of the index, also those whose block
 * has ended since, so that each query is short however many of these there are.
 */
export async function* heldPages(
  connections: Connections,
  statements: Statements,
  prefix: string,
): AsyncGenerator<readonly HeldRecord[]> {
  for (let after = ''; ; ) {
    const page = await connections.use((session) => session.run(statements.held, [prefix, after, pageSize]));
    const held: HeldRecord[] = [];
    for (const [now, key, json, expiresAt, heldUntil] of page) {
      after = String(key);
      if (!after.startsWith(prefix)) break;
      const isHeld = Math.min(Number(heldUntil), Number(expiresAt)) > Number(now);
      const value = isHeld ? ifReadable(() => recordOfJson(String(json))) : undefined;
      if (value !== undefined) held.push({ key: after, value });
    }
    yield held;
    if (page.length < pageSize || !after.startsWith(prefix)) return;
  }
}
