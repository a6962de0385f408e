import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseEventLine, type ReplayEvent } from './event-line.ts';
import { EventReader } from './event-reader.ts';
import { LineReader } from './line-reader.ts';

/** What an event says; the words that it shares with others are no part of that. */
const said = ({ words: _, ...event }: ReplayEvent) => event;

/** Reads one line after the other, each as it comes out of a file where others stand around it. */
function lineByLine(remembered: number, print?: () => number): (text: string) => ReplayEvent {
  const events = new EventReader(remembered, print);
  return (text) => {
    const [, line] = new LineReader('log').push(Buffer.from(`before\n${text}\nafter\n`));
    if (line === undefined || 'fault' in line) throw new TypeError('a line that is none');
    return events.read(line);
  };
}

/** What is read of a line, or why nothing is. */
function outcomeOf(read: (line: string) => ReplayEvent, line: string): unknown {
  try {
    return said(read(line));
  } catch (fault) {
    return String(fault);
  }
}

/** Time and operation as they are mostly written, and as JSON may have them too, or may not. */
const time = fc.oneof(
  { arbitrary: fc.nat(10_000_000).map(String), weight: 5 },
  fc.constantFrom('', '0', '00', '01', '-1', '1.5', '1e3', '8640000000000000', '8640000000000001', '"1"'),
  fc.constantFrom('99999999999999999999', 'null', ' 5', '5 '),
);
const operation = fc.constantFrom('"check"', '"fail"', '"succeed"', '"consume"', '"sign"', '"check" ', '7');
const account = fc.constantFrom(
  '"account":"a"',
  '"account":"b"',
  '"account":"an-account-of-many-letters"',
  '"account":"\\u0061"',
  '"account": "a"',
  '"account":""',
  '"account":7',
  '"account":null',
  '"account":"ä🦊"',
);
const other = fc.constantFrom(
  '"action":"auth.login"',
  '"action":"auth.otp"',
  '"action":null',
  '"action":5',
  '"ip":"192.0.2.1"',
  '"ip":"192.0.2.2"',
  '"ua":"Mozilla/5.0"',
  '"ua":"t"',
  '"device":{"id":"d","confidence":"MEDIUM"}',
  '"device":{"id":"d","account":"a"}',
  '"device":{"t":5}',
  '"cost":2',
  '"cost":"2"',
  '"t":5',
  '"op":"fail"',
  '"\\u0074":6',
  '"__proto__":{"t":7}',
  '"extra":[1,{"account":"b"}]',
);
const ending = fc.constantFrom('}', '} ', '', ',}', '}}', '}\0');

const rest = fc
  .tuple(fc.array(fc.oneof(account, other), { maxLength: 4 }), ending)
  .map(([fields, end]) => ['', ...fields].join(',') + end);

/** Few rests for many lines, so that what was kept of one is met again. */
const lines = fc.array(rest, { minLength: 1, maxLength: 3 }).chain((rests) =>
  fc.array(
    fc
      .tuple(time, operation, fc.constantFrom(...rests))
      .map(([t, op, words]) => `{"t":${t},"op":${op}${words}`),
    { minLength: 1, maxLength: 20 },
  ),
);

test.each([
  ['their own', undefined],
  ['one and the same', () => 7],
])('reads any lines, one after the other, as each would be read alone, by %s print', (_, print) => {
  fc.assert(
    fc.property(lines, (texts) => {
      const read = lineByLine(2, print);
      for (const text of texts) expect(outcomeOf(read, text)).toEqual(outcomeOf(parseEventLine, text));
    }),
    { numRuns: 5_000 },
  );
});

const words = '"account":"a","ip":"192.0.2.1","device":{"id":"d","confidence":"HIGH"}}';

test('reads what was said twice without parsing it', () => {
  const read = lineByLine(8);
  const said1 = read(`{"t":1,"op":"check",${words}`);
  const said2 = read(`{"t":2,"op":"fail",${words}`);
  const said3 = read(`{"t":3,"op":"succeed",${words}`);
  expect(said(said2)).toEqual({ ...said(said1), t: 2, op: 'fail' });
  expect(said(said3)).toEqual({ ...said(said1), t: 3, op: 'succeed' });
  expect(said3.device).toBe(said2.device);
  expect(said3.words).toBe(said2.words);
});

test('words that are as long, and have the same print, are read as what they say', () => {
  const read = lineByLine(8, () => 7);
  const lineOf = (ip: number) => `{"t":1,"op":"fail","account":"a","ip":"192.0.2.${ip}"}`;
  for (const ip of [1, 1, 1, 2, 2, 1, 2])
    expect(said(read(lineOf(ip)))).toEqual(said(parseEventLine(lineOf(ip))));
});

test('a call does not say what credentials say in the same words', () => {
  const read = lineByLine(8);
  const lineOf = (op: string) => `{"t":1,"op":"${op}",${words}`;
  for (const op of ['check', 'fail', 'consume', 'succeed', 'consume', 'check']) {
    expect(said(read(lineOf(op)))).toEqual(said(parseEventLine(lineOf(op))));
  }
});

test('reads lines alike before, while and after it rests, which it does where hardly any words are said again', () => {
  const read = lineByLine(100_000);
  let t = 1;
  /** How many of so many lines were about words that had been read before. */
  const readAgain = (lines: number, accountOf: (line: number) => number): number => {
    let known = 0;
    for (let line = 0; line < lines; line += 1, t += 1) {
      const text = `{"t":${t},"op":"fail","account":"a${accountOf(line)}","ip":"192.0.2.1"}`;
      const event = read(text);
      expect(said(event)).toEqual(said(parseEventLine(text)));
      if (event.words !== undefined) known += 1;
    }
    return known;
  };
  expect(readAgain(4_096, (line) => line)).toBe(0);
  expect(readAgain(7 * 4_096, () => 1)).toBe(0);
  expect(readAgain(4_096, (line) => line % 1_000)).toBeGreaterThan(3_500);
  expect(readAgain(4_096, (line) => (line % 4 === 0 ? 1 : 10_000 + line))).toBe(1_024);
  expect(readAgain(100, () => 1)).toBe(100);
});
