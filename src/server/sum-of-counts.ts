import { isTree } from '../config/tree.ts';

/**
 * Adds up counts of the same things, field by field however deep. A field that one of them lacks counts there as 0, and
 * null as nothing at all.
 */
export function sumOf<C>(before: C | null, now: C): C {
  return added(before, now) as C;
}

function added(before: unknown, now: unknown): unknown {
  if (typeof before === 'number' && typeof now === 'number') return before + now;
  if (!isTree(before) || !isTree(now)) return now ?? before;
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return Object.fromEntries([...names].map((name) => [name, added(before[name], now[name])]));
}
