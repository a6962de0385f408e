import { percentDecoded, utf8Of } from './byte-text.ts';
import type { FieldVisitor } from './json-fields.ts';

/** No name that counts is longer, with every character of it escaped. */
const longestName = 128;

/**
 * Shows the fields of a form or a query: `a=1&b=2`. A name too long to matter is shown as an empty one. A semicolon may be a
 * part of a value or stand between two fields, as it did in Go until 1.17, so what has one is shown both ways.
 *
 * @param text a character for each byte
 */
export function visitFormFields(text: string, visit: FieldVisitor): void {
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf('&', start);
    const end = found < 0 ? text.length : found;
    if (end > start) visitBothWays(text.slice(start, end), visit);
    start = end + 1;
  }
}

function visitBothWays(field: string, visit: FieldVisitor): void {
  visitField(field, visit);
  if (!field.includes(';')) return;
  for (const piece of field.split(';')) if (piece !== '') visitField(piece, visit);
}

function visitField(field: string, visit: FieldVisitor): void {
  const equals = field.indexOf('=');
  const nameEnd = equals < 0 ? field.length : equals;
  visit(nameEnd > longestName ? '' : decoded(field.slice(0, nameEnd)), decoded(field.slice(nameEnd + 1)));
}

function decoded(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (plain.test(spaced)) return spaced;
  return utf8Of(percentDecoded(spaced));
}

/** Neither an escape nor a byte of a longer character. */
const plain = /^[^%\x80-\xff]*$/;
