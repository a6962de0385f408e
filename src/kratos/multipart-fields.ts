import type { FieldVisitor } from './json-fields.ts';

/** Go reads no more parts than this. */
const mostParts = 1_000;
/** A longer value is cut: no identifier is as long, however much it is padded. */
const longestValue = 4_096;

const blankLine = /\r?\n\r?\n/g;
const lineOfHyphens = /\r?\n--/g;
const partStart = /--[^\r\n]*\r?\n[\w-]+:/y;
const disposition = /content-disposition:/i;
const nameParameter = /;\s*name\s*=\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^\s;"]+))/gis;
const extendedName = /;\s*name\*(?:0\*?)?\s*=\s*(?:[\w-]*'[\w-]*')?"?([^\s;"]+)/gi;
const quotedPrintable = /content-transfer-encoding:\s*quoted-printable/i;

/**
 * Shows the fields of a `multipart/form-data` body. Every part is seen that any boundary could make one, so that it does
 * not matter who reads which boundary from where: a part is a `Content-Disposition`, a blank line, and what stands
 * before the next line that begins with two hyphens.
 */
export function visitMultipartFields(text: string, visit: FieldVisitor): void {
  const nextMark = finder(text, lineOfHyphens);
  let headStart = 0;
  let parts = 0;
  for (const { 0: blank, index } of text.matchAll(blankLine)) {
    const head = text.slice(headStart, index);
    const from = index + blank.length;
    headStart = from;
    if (!disposition.test(head)) continue;
    const end = isPartAt(text, from) ? from : nextMark(from);
    showPart(unfolded(head), text.slice(from, Math.min(end, from + longestValue)), visit);
    parts += 1;
    if (parts === mostParts) return;
  }
}

/** Whether the next part begins right here, and this one is empty. Else two hyphens are the beginning of its value. */
function isPartAt(text: string, at: number): boolean {
  partStart.lastIndex = at;
  return partStart.test(text);
}

/** Of the last lines before the blank one only: before them stands the value of another part. */
function unfolded(head: string): string {
  const opening = head.lastIndexOf('\n--');
  return head.slice(opening + 1).replace(/\r?\n[ \t]+/g, ' ');
}

function showPart(head: string, value: string, visit: FieldVisitor): void {
  for (const name of namesIn(head)) {
    visit(name, value);
    if (quotedPrintable.test(head)) visit(name, fromQuotedPrintable(value));
  }
}

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

function namesIn(head: string): string[] {
  const plain = [...head.matchAll(nameParameter)].map(([, quoted, token]) =>
    (quoted ?? token ?? '').replace(/\\(.)/gs, '$1'),
  );
  const extended = [...head.matchAll(extendedName)].map(([, text = '']) => percentDecoded(text));
  return [...plain, ...extended];
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
