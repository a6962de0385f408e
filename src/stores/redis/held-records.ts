import type { HeldRecord } from '../store.ts';
import { ifReadable, isUnreadable } from '../unreadable.ts';
import { Snapshot } from './envelope.ts';
import type { Link } from './link.ts';

/**
 * Lists blocks by walking the keys (`SCAN`) and reading the first characters of each text, where the ends of its
 * blocks stand; only records that are held are read whole.
 *
 * The other way, an index kept by every commit, would cost each write that starts or ends a block a second key, and
 * on a cluster an index for each slot, for a list that an operator asks for now and then. The walk costs writes
 * nothing, holds up the server by a few hundred keys at a time, and cannot disagree with the records.
 */
const keysPerStep = '500';
/** Enough for the version and the three times. */
const envelopeEnd = '79';

export async function* heldPages(
  link: Link,
  prefixes: readonly string[],
  now: () => number,
): AsyncGenerator<readonly HeldRecord[]> {
  const pattern = patternOf(prefixes);
  const shown = new Set<string>();
  for (const send of await link.masters()) {
    let cursor = '0';
    do {
      const page = pageIn(await send(['SCAN', cursor, 'MATCH', pattern, 'COUNT', keysPerStep]));
      cursor = page.cursor;
      const fresh = page.keys.filter(
        (key) => prefixes.some((prefix) => key.startsWith(prefix)) && !shown.has(key),
      );
      const held = await heldAmong(link, fresh, now);
      for (const { key } of held) shown.add(key);
      yield held;
    } while (cursor !== '0');
  }
}

/**
 * What all keys with one of the prefixes match, and few others, so that the server leaves out most of what nobody asked
 * for: each place of the pattern takes the characters that stand there in one of them.
 */
function patternOf([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return `${first.replace(special, '\\$&')}*`;
  const prefixes = [first, ...others];
  // The server compares bytes: of a character of several it must not be told to take any one.
  if (prefixes.some((prefix) => !printable.test(prefix))) return '*';
  const places = Math.min(...prefixes.map(({ length }) => length));
  const patterns = Array.from({ length: places }, (_, place) => {
    const characters = new Set(prefixes.map((prefix) => prefix.charAt(place).replace(special, '\\$&')));
    return characters.size === 1 ? [...characters][0] : `[${[...characters].join('')}]`;
  });
  return `${patterns.join('')}*`;
}

const special = /[\\*?[\]^-]/g;
const printable = /^[ -~]*$/;

async function heldAmong(link: Link, keys: readonly string[], now: () => number): Promise<HeldRecord[]> {
  const heads = await Promise.all(keys.map((key) => textOf(link, ['GETRANGE', key, '0', envelopeEnd])));
  const likely = keys.filter((_, place) => isHeld(heads[place], now()));
  const texts = await Promise.all(likely.map((key) => textOf(link, ['GET', key])));
  return likely.flatMap((key, place) => {
    const reply = texts[place];
    const value = isHeld(reply, now()) ? ifReadable(() => snapshotOf(reply).valueAt(now())) : undefined;
    return value === undefined ? [] : [{ key, value }];
  });
}

/** What a command shows of a key; null where the key holds something else than a text. */
async function textOf(link: Link, command: readonly [name: string, key: string, ...rest: string[]]) {
  try {
    return await link.send(command, command[1]);
  } catch (cause) {
    if (isUnreadable(cause)) return null;
    throw cause;
  }
}

function isHeld(reply: unknown, now: number): boolean {
  return ifReadable(() => snapshotOf(reply).isHeld(now)) ?? false;
}

/** A key that expired since it was listed answers with an empty text, or none. */
function snapshotOf(reply: unknown): Snapshot {
  return typeof reply === 'string' && reply !== '' ? Snapshot.read(reply, 0) : Snapshot.absent(0);
}

function pageIn(reply: unknown): { cursor: string; keys: string[] } {
  const [cursor, keys]: unknown[] = Array.isArray(reply) ? reply : [];
  return { cursor: String(cursor ?? '0'), keys: Array.isArray(keys) ? keys.map(String) : [] };
}
