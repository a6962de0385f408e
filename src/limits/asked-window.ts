import { isWithin } from '../core/times.ts';
import { askedWindowMs } from './allowance.ts';

/**
 * Cost asked for over the last seconds, refused calls included: `[at, cost, at, cost, …]`, oldest first. Calls within
 * a tenth of a second of an entry's first one share it, so that a flood cannot make the record grow. Shared entries are
 * forgotten up to that much early, never late: nobody is blocked for less than the rule says.
 */
export type Asked = readonly number[];

export const nothingAsked: Asked = [];

const sharedMs = 100;

/** Drops what is older than the window, then adds the cost. */
export function noteAsked(asked: Asked, cost: number, now: number): Asked {
  let first = 0;
  while (first < asked.length && !isWithin(asked[first] ?? 0, now, askedWindowMs)) first += 2;
  const kept = asked.slice(first);
  if (cost === 0) return kept;
  const last = kept.length - 2;
  const lastAt = kept[last];
  if (lastAt !== undefined && now < lastAt + sharedMs) kept[last + 1] = (kept[last + 1] ?? 0) + cost;
  else kept.push(now, cost);
  return kept;
}

/** All cost in the window. */
export function totalAsked(asked: Asked): number {
  let total = 0;
  for (let index = 1; index < asked.length; index += 2) total += asked[index] ?? 0;
  return total;
}
