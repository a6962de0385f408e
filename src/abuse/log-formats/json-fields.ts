import { readIsoTime } from './syslog-line.ts';
import type { TimeZone } from './time-zone.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The first of the fields that is there; a dot leads into an object. A name with dots of its own counts before. */
export function firstOf(fields: Fields, names: readonly string[]): unknown {
  for (const name of names) {
    const value = fields[name] ?? (name.includes('.') ? inside(fields, name) : undefined);
    if (value !== undefined && value !== null && value !== '' && value !== '-') return value;
  }
  return undefined;
}

function inside(fields: Fields, name: string): unknown {
  let value: unknown = fields;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Fields)[part];
  }
  return value;
}

/** A text; the first of a list, as Caddy writes headers; null for anything else. */
export function textOf(value: unknown): string | null {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' && first !== '' && first !== '-' ? first : null;
}

/** A header that may stand several times: a list, as Caddy writes it, is one value of all. Null where there is no text. */
export function headerOf(value: unknown): string | null {
  return textOf(Array.isArray(value) ? value.filter((part) => textOf(part) !== null).join(', ') : value);
}

/**
 * A time as JSON logs write it, in ms: ISO 8601, or seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by
 * their size. Null for anything else.
 *
 * @param zone of a time that names none
 */
export function timeOf(value: unknown, zone: TimeZone): number | null {
  if (typeof value === 'string') {
    if (/^\d{1,20}(\.\d{1,9})?$/.test(value)) return timeOf(Number(value), zone);
    return readIsoTime(value, zone);
  }
  if (typeof value !== 'number' || !(value >= 0) || value > Number.MAX_SAFE_INTEGER * 1_000) return null;
  if (value < 1e11) return Math.floor(value * 1_000);
  if (value < 1e14) return Math.floor(value);
  return Math.floor(value < 1e17 ? value / 1e3 : value / 1e6);
}
