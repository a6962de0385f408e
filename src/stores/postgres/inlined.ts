import type { Statement } from './connections.ts';

/** A value that a statement can be given as text. */
export type Inlinable = string | number | null | readonly (string | number | null)[];

/**
 * A statement with its parameters written into it, for scripts: PostgreSQL takes several statements in one round trip
 * only without parameters. Values are quoted in the form that means the same under every setting of the server.
 */
export function inlined({ text }: Statement, values: readonly Inlinable[]): string {
  return text.replace(/\$(\d+)/g, (_, place: string) => literalOf(values[Number(place) - 1] ?? null));
}

function literalOf(value: Inlinable): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  return quoted(typeof value === 'string' ? value : arrayText(value));
}

function quoted(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

function arrayText(values: readonly (string | number | null)[]): string {
  const elements = values.map((value) =>
    value === null ? 'NULL' : `"${String(value).replace(/["\\]/g, '\\$&')}"`,
  );
  return `{${elements.join(',')}}`;
}
