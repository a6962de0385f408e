import { percentDecoded, utf8Of } from './byte-text.ts';
import type { FieldVisitor } from './json-fields.ts';

const blankLine = /\r?\n\r?\n/g;
const lineOfHyphens = /\r?\n--/g;
const partStart = /--[^\r\n]*\r?\n[\w-]+:/y;
const disposition = /content-disposition[ \t]*:[^\n]*/gi;
const nameParameter = /;\s*name\s*=\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^\s;"]+))/gis;
/** Wherever it stands, also in what may be a quoted value of another parameter. */
const looseName = /name\s*=\s*"?([^"\s;\\]*)/gi;
const extendedName = /;\s*name\*\s*=\s*(?:[\w-]*'[\w-]*')?"?([^\s;"]+)/gi;
const nameInPieces = /;\s*name\*\d/i;
const quotedPrintable = /content-transfer-encoding:\s*quoted-printable/i;

/** Of a phone number, whose readers pass over lines and hyphens: what looks like a boundary may be a part of it. */
const dialled = /^[\s\d+()./-]*$/;
const longestNumber = 1_024;
const mostEnds = 4;
/** Of a body, how often each of its characters may be read as part of a value. Honest ones are read once. */
const mostReadings = 8;
const leastReadings = 65_536;

/**
 * Shows the fields of a `multipart/form-data` body. Every part is seen that any boundary could make one, so that it does
 * not matter who reads which boundary from where: a part is a `Content-Disposition`, a blank line, and what stands
 * before the next line that begins with two hyphens. Of what stands between two blank lines nobody can tell where
 * the value of one part ends and the head of the next begins, so every `Content-Disposition` there counts.
 *
 * @param text a character for each byte
 * @returns false where there were too many ways to read it to go through all of them
 */
export function visitMultipartFields(text: string, visit: FieldVisitor): boolean {
  const marks = [...text.matchAll(lineOfHyphens)].map(({ index }) => index);
  let left = mostReadings * text.length + leastReadings;
  let headStart = 0;
  let nextMark = 0;
  for (const { 0: blank, index } of text.matchAll(blankLine)) {
    const head = text.slice(headStart, index).replace(/\r?\n[ \t]+/g, ' ');
    const from = index + blank.length;
    headStart = from;
    while (nextMark < marks.length && (marks[nextMark] ?? 0) < from) nextMark += 1;
    const names = new Set([...head.matchAll(disposition)].flatMap(([line]) => namesIn(line)));
    if (names.size === 0) continue;
    const isEncoded = quotedPrintable.test(head);
    for (const end of endsOf(text, from, marks, nextMark)) {
      const value = text.slice(from, end);
      left -= value.length * names.size;
      if (left < 0) return false;
      showPart(names, value, isEncoded, visit);
    }
  }
  return true;
}

/** Where a value that begins here may end. */
function endsOf(text: string, from: number, marks: readonly number[], nextMark: number): number[] {
  // The next part may begin right here, and this one is empty; else two hyphens are the beginning of its value.
  partStart.lastIndex = from;
  if (partStart.test(text)) return [from];
  const ends = [marks[nextMark] ?? text.length];
  for (let mark = nextMark + 1; ends.length < mostEnds && mark <= marks.length; mark += 1) {
    const end = marks[mark] ?? text.length;
    if (!dialled.test(text.slice(from, Math.min(end, from + longestNumber)))) break;
    ends.push(end);
  }
  return ends;
}

function showPart(names: ReadonlySet<string>, value: string, isEncoded: boolean, visit: FieldVisitor): void {
  const plain = utf8Of(value);
  const decoded = isEncoded ? utf8Of(fromQuotedPrintable(value)) : null;
  for (const name of names) {
    visit(name, plain);
    if (decoded !== null) visit(name, decoded);
  }
}

function namesIn(line: string): string[] {
  const quoted = [...line.matchAll(nameParameter)].map(([, text, token]) =>
    (text ?? token ?? '').replace(/\\(.)/gs, '$1'),
  );
  const loose = [...line.matchAll(looseName)].map(([, text = '']) => text);
  const extended = [...line.matchAll(extendedName)].map(([, text = '']) => percentDecoded(text));
  const names = [...quoted, ...loose, ...extended].filter((name) => name !== '').map(utf8Of);
  // Readers differ in how they join the pieces of a name, and nobody who means well writes one so.
  return nameInPieces.test(line) ? [...names, 'identifier'] : names;
}

function fromQuotedPrintable(text: string): string {
  return text
    .replace(/=[ \t]*\r?\n/g, '')
    .replace(/=([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
