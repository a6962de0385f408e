import { Fault, shapeOf } from '../../core/fault.ts';
import type { Key } from '../../core/records.ts';
import { QUARANTINE_MS, QUARANTINE_PREFIX } from '../quarantine.ts';
import { formsOf } from '../step-records.ts';
import { ifReadable } from '../unreadable.ts';
import { Snapshot } from './envelope.ts';
import type { Link } from './link.ts';
import { fingerprintScript, setAsideScript } from './scripts.ts';

/** Sets aside those of the records that cannot be read; returns how many there were. */
export async function setAside(link: Link, keys: readonly Key[], now: number): Promise<number> {
  const moved = await Promise.all(
    [...formsOf(keys)].map(([text, form]) =>
      setAsideUnless(link, text, (stored) => isReadable(stored, form, now)),
    ),
  );
  return moved.filter((isMoved) => isMoved).length;
}

/** Sets aside what is stored under a name if it is no text, or one that is not sound; returns whether it was. */
export async function setAsideUnless(
  link: Link,
  text: string,
  isSound: (stored: string) => boolean,
): Promise<boolean> {
  const unreadable = await unreadableFingerprint(link, text, isSound);
  if (unreadable === null) return false;
  const names = [text, `${QUARANTINE_PREFIX}${isTagged(text) ? text : `{${text}}`}`];
  const args = ['EVAL', setAsideScript.text, '2', ...names, unreadable, String(QUARANTINE_MS)];
  return (await link.send(args, text)) === 1;
}

/** Whether a part of the name decides where it lies on a cluster; else all of it does. */
export function isTagged(text: string): boolean {
  return /\{[^}]+\}/.test(text);
}

/** The fingerprint of what is stored if it is not sound, `''` if it is no text; null if it can be read, or is not there. */
async function unreadableFingerprint(
  link: Link,
  text: string,
  isSound: (stored: string) => boolean,
): Promise<string | null> {
  const reply = await link.send(['EVAL', fingerprintScript.text, '1', text], text);
  const [kind, stored, fingerprint] = Array.isArray(reply) ? reply.map(String) : [];
  if (kind === undefined || stored === undefined || fingerprint === undefined)
    throw new Fault('STORE_FAILED', `Redis answered with ${shapeOf(reply)} where three texts were due.`);
  if (kind === 'none') return null;
  return kind === 'string' && isSound(stored) ? null : fingerprint;
}

function isReadable(stored: string, form: string | undefined, now: number): boolean {
  const read = ifReadable(() => ({ record: Snapshot.read(stored, 0).valueAt(now, form) }));
  return read !== undefined;
}
