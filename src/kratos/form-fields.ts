import type { FieldVisitor } from './json-fields.ts';

/** No name that counts is longer, with every character of it escaped. */
const longestName = 128;

/** Shows the fields of a form or a query: `a=1&b=2`. A name too long to matter is shown as an empty one. */
export function visitFormFields(text: string, visit: FieldVisitor): void {
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf('&', start);
    const end = found < 0 ? text.length : found;
    if (end > start) visitField(text.slice(start, end), visit);
    start = end + 1;
  }
}

function visitField(field: string, visit: FieldVisitor): void {
  const equals = field.indexOf('=');
  const nameEnd = equals < 0 ? field.length : equals;
  visit(nameEnd > longestName ? '' : decoded(field.slice(0, nameEnd)), decoded(field.slice(nameEnd + 1)));
}

/** Bytes that are escaped one by one are UTF-8 together; what is no escape stands for itself. */
function decoded(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  return spaced.replace(/(?:%[0-9a-fA-F]{2})+/g, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}
