import type { Draft, Write } from './draft.ts';
import type { Inlinable } from './inlined.ts';
import { absentRow, type Reading, Row } from './rows.ts';

/** What is to become of one record group. */
export interface Proposal {
  readonly tag: string;
  readonly draft: Draft;
}

/**
 * What became of it. `done`: written, or found still true where there was nothing to write. `changed`: not written,
 * because a record is not the one that was read any more; with what stands there now. `busy`: not written, because
 * somebody else was writing the group.
 */
export type Verdict =
  | { readonly kind: 'done'; readonly reading: Reading }
  | { readonly kind: 'changed'; readonly reading: Reading }
  | { readonly kind: 'busy' };

/** What `commit_groups` says of each of the proposals. */
export function verdictsOf(proposals: readonly Proposal[], reply: readonly unknown[][]): Verdict[] {
  const [, , , version, , time] = reply[0] ?? [];
  const now = Number(time);
  const busy = new Set<number>();
  const changed = new Map<number, Map<string, Row>>();
  for (const [kind, group, key, rowVersion, value, expiresAt] of reply) {
    const number = Number(group);
    if (kind === 'busy') busy.add(number);
    if (kind === 'changed') changed.set(number, new Map());
    if (kind === 'record')
      changed.get(number)?.set(String(key), new Row(String(rowVersion), String(value), Number(expiresAt)));
  }
  return proposals.map(({ draft }, index) => {
    const found = changed.get(index + 1);
    if (busy.has(index + 1)) return { kind: 'busy' };
    if (found !== undefined) return { kind: 'changed', reading: { rows: allRows(draft, found), now } };
    return { kind: 'done', reading: { rows: writtenRows(draft, String(version)), now } };
  });
}

type Column = (string | number | null)[];

/**
 * What `commit_groups` takes: one row per record that the proposal rests on, column by column.
 *
 * @param lockMs is how long to wait for a row that somebody has locked who does not go by the group's lock.
 */
export function parametersOf(proposals: readonly Proposal[], lockMs: number): Inlinable[] {
  const tags = proposals.map(({ tag }) => tag);
  const columns: [Column, Column, Column, Column, Column, Column] = [[], [], [], [], [], []];
  const [groups, keys, versions, values, expiries, holds] = columns;
  for (const [index, { draft }] of proposals.entries()) {
    for (const [text, row] of draft.restsOn) {
      const write: Write | undefined = draft.writes.get(text);
      groups.push(index + 1);
      keys.push(text);
      versions.push(row.version);
      values.push(write?.json ?? null);
      expiries.push(write?.expiresAt ?? null);
      holds.push(write?.heldUntil ?? null);
    }
  }
  return [tags, lockMs, ...columns];
}

function allRows(draft: Draft, found: ReadonlyMap<string, Row>): Map<string, Row> {
  return new Map([...draft.restsOn.keys()].map((text) => [text, found.get(text) ?? absentRow]));
}

/** What was not asked for may have changed meanwhile; a step that goes by it later will be refused, and reads it anew. */
function writtenRows(draft: Draft, version: string): Map<string, Row> {
  const rows = new Map(draft.rows);
  for (const [text, { json, expiresAt, value }] of draft.writes) {
    rows.set(text, new Row(version, json, expiresAt, value));
  }
  return rows;
}
