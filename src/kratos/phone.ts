import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** Between the digits of a number: what Google's library, and with it Kratos, reads over. */
const between = String.raw`\-x\u2010-\u2015\u2212\u30fc \u00a0\u2060\u3000()\[\].~\/*`;
/** At least three digits, then anything a number may have, letters of a vanity number included. */
const viable = new RegExp(String.raw`^\+(?:[${between}]*\d){3,}[${between}A-Za-z\d]*$`, 'u');
const extension =
  /(?:;ext=|[ \u00a0\t,]*(?:ext(?:ensi(?:o\u0301?|\u00f3))?n?\.?|anexo|int|доб|[x#~])[:. \u00a0\t,-]*)\d{1,20}#?$/iu;
const arabicDigits = /[\u0660-\u0669\u06f0-\u06f9]/g;

/** E.164: at most fifteen digits, and nobody has fewer than seven. */
const leastDigits = 7;
const mostDigits = 15;
/** Longer texts are no numbers: Google's library stops here too. */
const longestText = 250;

/** Letters on the keys of a telephone. */
const keypad: Readonly<Record<string, string>> = Object.fromEntries(
  ['abc', 'def', 'ghi', 'jkl', 'mno', 'pqrs', 'tuv', 'wxyz'].flatMap((letters, key) =>
    [...letters].map((letter) => [letter, String(key + 2)]),
  ),
);

/**
 * The E.164 form of an identifier that is an international phone number, else null. A number that nobody can have, but
 * that looks like one, is brought to its digits all the same: otherwise what our table of numbers does not know yet and
 * Kratos's does could be spelled in many ways.
 *
 * @param text without invisible characters, in NFKC
 */
export function phoneKey(text: string): string | null {
  if (text.length > longestText || !text.includes('+')) return null;
  const number = numberIn(text.replace(arabicDigits, (digit) => String(digit.charCodeAt(0) & 0xf)));
  if (number === null) return null;
  const digits = digitsOf(number);
  const parsed = parsePhoneNumberFromString(digits);
  if (parsed?.isValid()) return parsed.number;
  const isBounded = digits.length > leastDigits && digits.length <= mostDigits + 1;
  return isBounded && !/[a-wyz]/i.test(number) ? digits : null;
}

/** The part of a text that Google's library takes for the number: from its plus, without what leads up to it. */
function numberIn(text: string): string | null {
  const context = /;phone-context=(\+[^;]*)/i.exec(text);
  const [, local = ''] = /^\D*?(?:tel:)?([^;]*)/i.exec(text) ?? [];
  const dialled = context === null ? text : `${context[1]}${local}`;
  const plus = dialled.indexOf('+');
  if (plus < 0 || /\d/.test(dialled.slice(0, plus))) return null;
  const number = dialled
    .slice(plus)
    .replace(/^\++/, '+')
    .replace(/;isub=.*$/i, '')
    .replace(/[\\/] *x.*$/i, '')
    .replace(/[^\p{N}\p{L}#]+$/u, '');
  const shorter = number.replace(extension, '');
  const kept = viable.test(shorter) ? shorter : number;
  return viable.test(kept) ? kept : null;
}

/** A number with three letters or more is a vanity number; with fewer, a letter is punctuation. */
function digitsOf(number: string): string {
  const letters = number.match(/[a-z]/gi)?.length ?? 0;
  const dialled =
    letters >= 3 ? number.replace(/[a-z]/gi, (letter) => keypad[letter.toLowerCase()] ?? '') : number;
  return `+${dialled.replace(/\D/g, '')}`;
}
