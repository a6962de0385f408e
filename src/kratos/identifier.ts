import { phoneKey } from './phone.ts';

/** Characters that show nothing and that Kratos drops: zero-width ones, marks of direction, soft hyphens, BOMs. */
const invisible = /\p{Cf}/gu;
/** What Go calls space; unlike `\s` it knows NEL. */
const space = /[\s\u0085]/;
const loneSurrogate = /\p{Surrogate}/gu;
/** Kratos keeps 255 characters, and four at most become one: what is longer is no account, and not worth the work. */
const longestIdentifier = 1_024;

/**
 * The one text that stands for an account, whatever way its identifier was typed: as Kratos finds the account, so
 * that nobody gets further attempts at it by another spelling. Where Kratos's versions differ, the coarser reading is
 * taken.
 *
 * @returns an empty text where nothing is left
 */
export function normaliseIdentifier(identifier: string): string {
  const visible = trimmed(identifier.replace(loneSurrogate, '\uFFFD').replace(invisible, ''));
  if (visible.length > longestIdentifier) return visible;
  const plain = trimmed(visible.normalize('NFKC').replace(invisible, ''));
  return phoneKey(plain) ?? toLower(plain);
}

/**
 * Whether every version of Kratos finds the account of that key by this spelling. All of them trim and lower; to those that do
 * no more, a name in full width, one with something invisible in it or a number with spaces is an account of its own, which
 * anybody can make: to sign in to it proves nothing about the account whose key it has.
 *
 * @param key what {@link normaliseIdentifier} makes of it
 */
export function isPlainSpelling(identifier: string, key: string): boolean {
  return toLower(trimmed(identifier)) === key && identifier.search(invisible) < 0;
}

/**
 * Lower case one character at a time, as Go does it. JavaScript would look at the neighbours of a sigma and make two
 * characters of `İ`, and an account would have two keys.
 */
function toLower(text: string): string {
  const lower = text.toLowerCase();
  if (!/[\u0130\u03a3]/.test(text)) return lower;
  return Array.from(text, (character) => (character === '\u0130' ? 'i' : character.toLowerCase())).join('');
}

/** By hand: a pattern that is anchored at the end is tried at every space on the way. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && space.test(text.charAt(start))) start += 1;
  while (end > start && space.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
