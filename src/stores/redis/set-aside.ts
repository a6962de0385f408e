import { Fault } from '../../core/fault.ts';
import { QUARANTINE_MS, QUARANTINE_PREFIX } from '../quarantine.ts';
import { Snapshot } from './envelope.ts';
import type { Link } from './link.ts';
import { setAsideScript } from './scripts.ts';

/** Sets aside those of the records that cannot be read; returns how many there were. */
export async function setAside(link: Link, texts: readonly string[], now: number): Promise<number> {
  const moved = await Promise.all(texts.map((text) => setOneAside(link, text, now)));
  return moved.filter((isMoved) => isMoved).length;
}

async function setOneAside(link: Link, text: string, now: number): Promise<boolean> {
  const unreadable = await unreadableText(link, text, now);
  if (unreadable === null) return false;
  const names = [text, `${QUARANTINE_PREFIX}${text}`];
  const args = ['EVAL', setAsideScript.text, '2', ...names, unreadable, String(QUARANTINE_MS)];
  return (await link.send(args, text)) === 1;
}

/** The stored text if it is no record, `''` if it is no text; null if it can be read, or is not there. */
async function unreadableText(link: Link, text: string, now: number): Promise<string | null> {
  let stored: unknown;
  try {
    stored = await link.send(['GET', text], text);
    if (typeof stored === 'string') Snapshot.read(stored, 0).valueAt(now);
    return null;
  } catch (cause) {
    if (!(cause instanceof Fault) || cause.code !== 'RECORD_CORRUPT') throw cause;
    return typeof stored === 'string' ? stored : '';
  }
}
