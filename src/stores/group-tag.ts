import { invariant } from '../core/fault.ts';
import type { Key } from '../core/records.ts';

/**
 * The record group a key belongs to: what stands in its first non-empty braces, else the whole key, as Redis Cluster
 * defines hash tags.
 */
export function tagOf(text: string): string {
  const open = text.indexOf('{');
  if (open === -1) return text;
  const close = text.indexOf('}', open + 1);
  return close > open + 1 ? text.slice(open + 1, close) : text;
}

/** The one tag that all keys of a step carry. @throws Fault `INVARIANT_BROKEN` when they carry several. */
export function groupOf(keys: readonly Key[]): string {
  const tag = tagOfKey(keys[0]);
  for (let place = 1; place < keys.length; place += 1) {
    invariant(tagOfKey(keys[place]) === tag, 'The keys of a step belong to different groups.');
  }
  return tag;
}

function tagOfKey(key: Key | undefined): string {
  return key?.tag ?? tagOf(key?.text ?? '');
}

/** The keys by their groups. */
export function groupsOf(keys: readonly Key[]): readonly (readonly Key[])[] {
  const groups = new Map<string, Key[]>();
  for (const key of keys) {
    const tag = tagOfKey(key);
    const group = groups.get(tag);
    if (group === undefined) groups.set(tag, [key]);
    else group.push(key);
  }
  return [...groups.values()];
}

/** For stores that need no name for the group. @throws Fault `INVARIANT_BROKEN` as {@link groupOf}. */
export function assertOneGroup(keys: readonly Key[]): void {
  if (keys.length > 1) groupOf(keys);
}
