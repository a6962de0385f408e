import { newNames } from './cast.ts';
import { START_MS, type State } from './play.ts';

/** Times far in the past differ, and yet nothing does; what is older than this is over for every rule but expiry. */
const HORIZON = START_MS / 2;

/**
 * A number that two states share when nothing that can happen from now on tells them apart: times count from now,
 * blocks that are over are all the same, and new addresses and devices are named by the order in which they appear.
 * 53 bits: among a million states two different ones are taken for one with a chance of about one in ten thousand.
 */
export function fingerprintOf({ records, t }: State): number {
  const texts: string[] = [];
  for (const [key, record] of records) texts.push(`${key}${textOf(record, t, '')}`);
  texts.sort();
  const names = new Map<string, string>();
  return hashOf(
    texts.join('\n').replace(newNames, (name) => {
      const found = names.get(name) ?? `#${names.size}`;
      names.set(name, found);
      return found;
    }),
  );
}

function textOf(value: unknown, now: number, field: string): string {
  if (typeof value === 'number') return value < HORIZON ? `${value}` : relative(value - now, field);
  if (Array.isArray(value)) {
    let text = '[';
    for (const part of value) text += `${textOf(part, now, field)},`;
    return `${text}]`;
  }
  if (typeof value !== 'object' || value === null) return `${value}`;
  let text = '{';
  for (const name in value) text += `${textOf(value[name as keyof typeof value], now, name)};`;
  return `${text}}`;
}

/** From the end of a HARD block on its level is forgotten, so that end never ceases to matter. */
function relative(ms: number, field: string): string {
  return ms <= 0 && field.endsWith('Until') && field !== 'hardUntil' ? '0' : `~${ms}`;
}

/** Two FNV-like halves, mixed (cyrb53). */
function hashOf(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0);
}
