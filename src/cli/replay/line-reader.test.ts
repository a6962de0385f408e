import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineReader } from './line-reader.ts';

const MIB = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** What becomes of each line: its text, or why it cannot be read. */
function readAll(bytes: Uint8Array, of: 'events' | 'log', chunkBytes = CHUNK_BYTES): string[] {
  const reader = new LineReader(of);
  const lines = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    lines.push(...reader.push(bytes.subarray(at, at + chunkBytes)));
  }
  lines.push(...reader.finish());
  return lines.map((line) => ('fault' in line ? line.fault.message : line.text));
}

describe('a line that is too long', () => {
  const tooLong = 'longer than 4194304 bytes';
  /** Each is some characters of 6 MiB; of those that take several bytes there are fewer than a line may have bytes. */
  const contents = [
    ['of one byte', 'x'.repeat(6 * MIB)],
    ['of two bytes', 'é'.repeat(3 * MIB)],
    ['of three bytes', '€'.repeat(2 * MIB)],
    ['of four bytes', '😀'.repeat(1.5 * MIB)],
  ] as const;

  it.each(contents)('of characters %s is refused by its bytes, in any chunks', (_, text) => {
    const bytes = Buffer.from(`first\n${text}\nlast`);
    for (const of of ['events', 'log'] as const) {
      for (const chunkBytes of [CHUNK_BYTES, CHUNK_BYTES + 1, bytes.length]) {
        expect(readAll(bytes, of, chunkBytes)).toEqual(['first', tooLong, 'last']);
      }
    }
  });

  it('is one byte longer than the longest that is read', () => {
    const longest = `a${'é'.repeat(2 * MIB - 1)}b`;
    expect(readAll(Buffer.from(`${longest}\n`), 'events')).toEqual([longest]);
    expect(readAll(Buffer.from(`${longest}b\n`), 'events')).toEqual([tooLong]);
    expect(readAll(Buffer.from(`${longest}b`), 'events')).toEqual([tooLong]);
  });

  it('has its bytes counted as they are in the file, also where they are not UTF-8', () => {
    const longest = 'é'.repeat(4 * MIB);
    expect(readAll(Buffer.from(`${longest}\n`, 'latin1'), 'log')).toEqual([longest]);
    expect(readAll(Buffer.from(`${longest}é\n`, 'latin1'), 'log')).toEqual([tooLong]);
  });
});

describe('the bytes of a line', () => {
  it('are told with it, whatever stands around it and however it comes', () => {
    const text = fc.array(fc.constantFrom('a', 'é', '€', '😀', '\r', '\uFEFF', '"'), { maxLength: 6 });
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 40 }),
        (texts, chunkBytes) => {
          const bytes = Buffer.from(texts.map((characters) => characters.join('')).join('\n'));
          const reader = new LineReader('log');
          const lines = [];
          for (let at = 0; at < bytes.length; at += chunkBytes) {
            lines.push(...reader.push(bytes.subarray(at, at + chunkBytes)));
          }
          for (const line of [...lines, ...reader.finish()]) {
            if ('fault' in line) throw line.fault;
            const { text, block, start, end } = line;
            expect(Buffer.from(block.subarray(start, end)).toString()).toBe(text);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
