import type { StoredRecord } from '../../core/records.ts';
import type { Random } from '../random.ts';

const edges = [0, 1, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER] as const;
/** Of each length in UTF-8, and those that formats trip over. */
const characters = [
  'a',
  'Z',
  '0',
  ' ',
  '"',
  '\\',
  '/',
  '\n',
  '\u0001',
  'é',
  'ß',
  '漢',
  '\u2028',
  '😀',
] as const;
const DEEPEST = 4;

/** A record of plain JSON data: whole numbers, any text, booleans, null, lists and objects in each other. */
export function anyRecord(random: Random): StoredRecord {
  return { ...anyObject(random, 0), at: random.between(0, 2 ** 48) };
}

function anyValue(random: Random, depth: number): unknown {
  const kind = random.between(0, depth < DEEPEST ? 6 : 4);
  if (kind === 0) return random.pick(edges);
  if (kind === 1) return random.between(-(2 ** 50), 2 ** 50);
  if (kind === 2) return anyText(random);
  if (kind === 3) return random.chance(0.5);
  if (kind === 4) return null;
  if (kind === 5) return Array.from({ length: random.between(0, 5) }, () => anyValue(random, depth + 1));
  return anyObject(random, depth + 1);
}

function anyObject(random: Random, depth: number): object {
  const entries = Array.from({ length: random.between(0, 6) }, () => [
    anyText(random),
    anyValue(random, depth),
  ]);
  return Object.fromEntries(entries);
}

function anyText(random: Random): string {
  return Array.from({ length: random.between(0, 12) }, () => random.pick(characters)).join('');
}
