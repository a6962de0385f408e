import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_LINE_BYTES } from '../../../src/cli/replay/input-line.ts';
import { type FileLine, LineSplitter } from './line-splitter.ts';

function split(bytes: Uint8Array, size: number): (string | null)[] {
  return cut(bytes, size).map(({ text }) => text);
}

function cut(bytes: Uint8Array, size: number): FileLine[] {
  const splitter = new LineSplitter();
  const lines: FileLine[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    lines.push(...splitter.push(bytes.subarray(at, at + size)));
  }
  lines.push(...splitter.finish());
  return lines;
}

describe('lines of a file', () => {
  it('are the same however the file is cut', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: 'grapheme' }).map((text) => `x${text.replaceAll(/[\n\r\uFEFF]/g, '')}`),
          { maxLength: 20 },
        ),
        fc.integer({ min: 1, max: 64 }),
        (lines, size) => {
          expect(split(new TextEncoder().encode(lines.map((line) => `${line}\n`).join('')), size)).toEqual(
            lines,
          );
        },
      ),
    );
  });

  it('are marked where they are not UTF-8, and the mark at the begin is no part of them', () => {
    const bytes = new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 10, 0xff, 0x80, 10, 0x62]);
    expect(cut(bytes, 3).map(({ text, isUtf8 }) => [text, isUtf8])).toEqual([
      ['a', true],
      ['\u00ff\u0080', false],
      ['b', true],
    ]);
  });

  it('end with a newline or with a return before it', () => {
    const bytes = new TextEncoder().encode('a\r\n\r\nb\rc\r\nd\r');
    for (const size of [1, 2, 64]) expect(split(bytes, size)).toEqual(['a', '', 'b\rc', 'd']);
  });

  it('are refused where they are too long, and the next one is read', () => {
    const bytes = new Uint8Array(MAX_LINE_BYTES + 3).fill(0x61);
    bytes[MAX_LINE_BYTES + 1] = 10;
    expect(split(bytes, 1 << 16)).toEqual([null, 'a']);
  });
});
