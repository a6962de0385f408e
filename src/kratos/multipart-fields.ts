import type { FieldVisitor } from './json-fields.ts';

/** A longer value is cut: no identifier is as long. What stands before it to pad it does not count. */
const longestValue = 4_096;

const blankLine = /\r?\n\r?\n/g;
const lineOfHyphens = /\r?\n--/g;
const partStart = /--[^\r\n]*\r?\n[\w-]+:/y;
const disposition = /content-disposition[ \t]*:[^\r\n]*/gi;
const nameParameter = /;\s*name\s*=\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^\s;"]+))/gis;
const extendedName = /;\s*name\*\s*=\s*(?:[\w-]*'[\w-]*')?"?([^\s;"]+)/gi;
const namePiece = /;\s*name\*(\d{1,3})\*?\s*=\s*(?:[\w-]*'[\w-]*')?"?([^\s;"]+)/gi;
const quotedPrintable = /content-transfer-encoding:\s*quoted-printable/i;

/**
 * Shows the fields of a `multipart/form-data` body. Every part is seen that any boundary could make one, so that it does
 * not matter who reads which boundary from where: a part is a `Content-Disposition`, a blank line, and what stands
 * before the next line that begins with two hyphens. Of what stands between two blank lines nobody can tell where the
 * value of one part ends and the head of the next begins, so every `Content-Disposition` there counts.
 */
export function visitMultipartFields(text: string, visit: FieldVisitor): void {
  const nextMark = finder(text, lineOfHyphens);
  let headStart = 0;
  for (const { 0: blank, index } of text.matchAll(blankLine)) {
    const head = text.slice(headStart, index).replace(/\r?\n[ \t]+/g, ' ');
    const from = index + blank.length;
    headStart = from;
    const names = [...head.matchAll(disposition)].flatMap(([line]) => namesIn(line));
    if (names.length === 0) continue;
    const end = isPartAt(text, from) ? from : nextMark(from);
    showPart(new Set(names), text.slice(from, end), quotedPrintable.test(head), visit);
  }
}

/** Whether the next part begins right here, and this one is empty. Else two hyphens are the beginning of its value. */
function isPartAt(text: string, at: number): boolean {
  partStart.lastIndex = at;
  return partStart.test(text);
}

function showPart(
  names: ReadonlySet<string>,
  value: string,
  isQuotedPrintable: boolean,
  visit: FieldVisitor,
): void {
  const decoded = isQuotedPrintable ? fromQuotedPrintable(value) : null;
  for (const name of names) {
    visit(name, unpadded(value));
    if (decoded !== null) visit(name, unpadded(decoded));
  }
}

const unpadded = (value: string): string => value.trimStart().slice(0, longestValue);

/** Finds the next match at or after a place that only ever grows, so that the text is walked through once. */
function finder(text: string, pattern: RegExp): (from: number) => number {
  const matches = text.matchAll(pattern);
  let found = -1;
  return (from) => {
    while (found < from) {
      const next = matches.next();
      found = next.done ? text.length : next.value.index;
      if (next.done) break;
    }
    return found;
  };
}

function namesIn(line: string): string[] {
  const plain = [...line.matchAll(nameParameter)].map(([, quoted, token]) =>
    (quoted ?? token ?? '').replace(/\\(.)/gs, '$1'),
  );
  const extended = [...line.matchAll(extendedName)].map(([, text = '']) => percentDecoded(text));
  const pieces = [...line.matchAll(namePiece)].sort(([, a], [, b]) => Number(a) - Number(b));
  const joined = pieces.map(([, , text = '']) => percentDecoded(text)).join('');
  return pieces.length === 0 ? [...plain, ...extended] : [...plain, ...extended, joined];
}

function percentDecoded(text: string): string {
  return text.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function fromQuotedPrintable(text: string): string {
  const bytes = text
    .replace(/=[ \t]*\r?\n/g, '')
    .replace(/=([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
