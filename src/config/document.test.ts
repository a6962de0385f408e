import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { Fault } from '../core/fault.ts';
import { mostDocumentBytes, parseDocument, readText } from './document.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-document-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The message of the fault that parsing gives. */
function refusal(text: string): string {
  try {
    parseDocument(text, 'f');
  } catch (error) {
    if (error instanceof Fault && error.code === 'CONFIG_INVALID') return error.message;
    throw error;
  }
  return 'none';
}

describe('parseDocument', () => {
  it('gives the same for YAML and JSON', () => {
    fc.assert(
      fc.property(
        fc.object({ values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null)] }),
        (value) => {
          fc.pre(!JSON.stringify(value).includes('__proto__'));
          const json = JSON.stringify(value);
          expect(parseDocument(json, 'f')).toEqual(JSON.parse(json));
          expect(parseDocument(stringify(value), 'f')).toEqual(JSON.parse(json));
        },
      ),
    );
  });

  it('says where a text stops being YAML', () => {
    expect(refusal('a: [1, 2\nb: 3\n')).toMatch(/^f: not valid YAML or JSON: .* at line 2, column \d+$/);
    expect(refusal('a: 1\na: 2\n')).toMatch(/unique/);
  });

  it.each([
    ['an alias to nothing', 'token: *Sup3r\n', /alias .* has no anchor/],
    ['an open quote', 'a: "Sup3r\n', /closing quote.*, at line/],
    ['a colon too many', 'store: redis://u:Sup3r@h: 1\n', /colon.*, at line 1, column 8/],
    ['a character that is reserved', 'x: @Sup3r\n', /has to be quoted, at line 1, column 4/],
    ['a name that is there twice', 's: {Sup3r: 1, Sup3r: 2}\n', /unique, at line 1/],
    ['an escape that is none', 'p: "\\qSup3r"\n', /an escape .*, at line 1/],
    ['a header of a block', 'p: |Sup3r\n', /not expected, at line 1/],
    ['a tag', 'p: !x!Sup3r a\n', /tag .*, at line 1/],
    ['two anchors', 'p: &a &Sup3r x\n', /anchor.*, at line 1/],
    ['a set with values', '%YAML 1.1\n---\np: !!set {Sup3r: 1}\n', /not valid YAML or JSON/],
  ])('never quotes the text, which may be secret: %s', (_, text, message) => {
    expect(refusal(text)).toMatch(message);
    expect(() => parseDocument(text, 'f')).toThrow(expect.not.objectContaining({ cause: expect.anything() }));
    expect(refusal(text)).not.toContain('Sup3r');
  });

  // Each of these has ended a process, or held it up, when handed to the reader of YAML as it is.
  it.each([
    ['brackets', '['.repeat(50_000)],
    ['closed brackets', '['.repeat(20_000) + ']'.repeat(20_000)],
    ['braces', '{a: '.repeat(50_000)],
    ['JSON', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['dashes', `${'- '.repeat(100_000)}x`],
    ['question marks', '? '.repeat(100_000)],
    ['indentation', Array.from({ length: 1000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ])('refuses to go deep into %s', (_, text) => {
    expect(refusal(text)).toBe('f: is nested deeper than 64 levels');
  });

  it('refuses aliases that grow without end', () => {
    const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let n = 1; n < 30; n += 1)
      bomb.push(
        `a${n}: &a${n} [${Array(9)
          .fill(`*a${n - 1}`)
          .join(', ')}]`,
      );
    expect(refusal(bomb.join('\n'))).toMatch(/f: not valid YAML or JSON: excessive alias count/);
    const quiet = `a: &a [${'x, '.repeat(2000)}x]\nb: [${'*a, '.repeat(60)}*a]\n`;
    expect(refusal(quiet)).toBe('f: has more values than any configuration needs');
  });

  it('refuses an alias to what it is part of', () => {
    expect(refusal('a: &a [*a]\n')).not.toBe('none');
  });

  it.each([
    ['too many characters', ' '.repeat(mostDocumentBytes + 1), /larger than/],
    ['too many parts', '- a\n'.repeat(200_000), /more parts|more values/],
    ['a name that changes what an object is', '__proto__: { admin: true }\n', /__proto__/],
    ['such a name in JSON', '{"a": {"__proto__": {"admin": true}}}', /__proto__/],
    ['a number that is none', 'a: .nan\n', /JSON has not/],
    ['a number without end', 'a: .inf\n', /JSON has not/],
    ['two documents', 'a: 1\n---\nb: 2\n', /multiple documents/],
  ])('refuses %s', (_, text, message) => {
    expect(refusal(text)).toMatch(message);
  });

  it('never gives anything but a value or a fault', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        ':',
        ' ',
        '\n',
        '- ',
        '? ',
        '[',
        ']',
        '{',
        '}',
        ',',
        '&a ',
        '*a',
        '!!set ',
        '!x ',
        '|',
        '>',
        "'",
        '"',
      ],
      ...[
        '#',
        '%YAML 1.1\n',
        '---',
        '...',
        '\t',
        '<<: ',
        '0x1f',
        '1e999',
        '~',
        '\\',
        '\u0000',
        '\ufeff',
        '\ud800',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('');
        try {
          const value = parseDocument(text, 'f');
          expect(JSON.parse(JSON.stringify(value))).toEqual(value);
        } catch (error) {
          expect(error).toBeInstanceOf(Fault);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('readText', () => {
  it('reads a file', () => {
    const path = join(folder, 'a.yaml');
    writeFileSync(path, 'a: ü\n');
    expect(readText(path)).toBe('a: ü\n');
  });

  it.each([
    ['that is not there', join(folder, 'none'), /cannot be read \(ENOENT\)/],
    ['that is a folder', folder, /cannot be read \(EISDIR\)/],
    ['without an end', '/dev/zero', /is larger than/],
  ])('refuses a file %s', (_, path, message) => {
    expect(() => readText(path)).toThrow(message);
  });

  it('refuses a file that is too large without reading all of it', () => {
    const path = join(folder, 'large.yaml');
    writeFileSync(path, Buffer.alloc(mostDocumentBytes + 1, 32));
    expect(() => readText(path)).toThrow(/is larger than/);
  });
});
