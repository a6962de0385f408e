import { isIPv6 } from 'node:net';

/**
 * Text that came from outside, made fit for a log line, a label or an event: bounded, in one line, and without what
 * looks like an address or an account. The first line of defence is that no field for an identifier exists; this is
 * the second, for the words of operators and of libraries.
 */
export function cleanText(text: string, mostChars = 200): string {
  // Hidden before it is cut: half an address is no address any more, but enough to tell whose it is.
  const looked = wholeChars(text, mostChars + longestIdentifier);
  const hidden = looked
    .replace(emailLike, '[account]')
    .replace(ipv6Like, hideAddress)
    .replace(ipv4Like, '[address]');
  const isCut = text.length > looked.length || hidden.length > mostChars;
  return escapeControls(isCut ? `${wholeChars(hidden, mostChars)}…` : hidden);
}

/** As long as what is hidden may be. */
const longestIdentifier = 700;

/** Domains are written in any script. */
const emailLike = /[^\s@<>"']{1,64}@[\p{L}\p{M}\p{N}_-]{1,63}(\.[\p{L}\p{M}\p{N}_-]{1,63}){1,8}/gu;
const ipv4Like = /\d{1,3}(\.\d{1,3}){3}/g;
/** Runs of what an IPv6 address is written with; which of them are addresses is for the system to say. */
const ipv6Like = /[\da-f]{0,4}:[\da-f:.]{1,60}/gi;

/** What may stand right before an address: a colon, or a word of the same letters with one. */
const lead = /^[\da-f]{0,4}:/i;
const port = /(?<!:):\d{1,5}$/;

const isAddress = (text: string): boolean => isIPv6(text) || isIPv6(text.replace(port, ''));

/**
 * A colon before an address, and a full stop or a colon after it, belong to the sentence. What else was found with it is
 * hidden too: whether its ninth number is a port or the first is a word, nobody can tell.
 */
function hideAddress(run: string): string {
  const found = run.replace(/\.+$|(?<!:):$/, '');
  const isLed = !isAddress(found);
  if (isLed && !isAddress(found.replace(lead, ''))) return run;
  return `${isLed && found.startsWith(':') ? ':' : ''}[address]${run.slice(found.length)}`;
}

/** Control characters, separators of lines and what changes the direction of text. */
const unsafe = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** `\n` as `\u000a`: visible, and of no effect on a terminal. */
function escapeControls(text: string): string {
  return text.replace(unsafe, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** No half of a surrogate pair at the end. */
function wholeChars(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}
