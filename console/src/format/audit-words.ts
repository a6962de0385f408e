import { pinWords } from './pin-words.ts';
import { shortBlock } from './words.ts';

/** Whether an act is about a pin; the record of it calls that a block all the same. */
export const isAboutPin = (what: string): boolean => what === 'pinned' || what === 'unpinned';

/** What an act of an operator is about: a pin in words, a block by its policy, scope and the start of its hashes. */
export function aboutWords(what: string, about: string): string {
  if (isAboutPin(what)) return pinWords(about);
  const [policy, scope, ...hashes] = about.split(':');
  return hashes.length === 0 ? about : `${policy} ${scope} ${shortBlock(about)}`;
}
