import { Fault } from '../core/fault.ts';
import type { Key } from '../core/records.ts';

/** A step used a key that its call does not name. Tells the kind of the key, without the hash that names a subject. */
export function unnamedKey(key: Key): Fault {
  const kind = key.text.split(':')[4] ?? 'nameless';
  return new Fault('INVARIANT_BROKEN', `A step used a ${kind} key that its call does not name.`);
}
