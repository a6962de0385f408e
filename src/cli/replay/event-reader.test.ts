import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseEventLine, type ReplayEvent } from './event-line.ts';
import { EventReader } from './event-reader.ts';

/** What an event says; the words that it shares with others are no part of that. */
const said = ({ words: _, ...event }: ReplayEvent) => event;

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

test('reads any lines, one after the other, as each would be read alone', () => {
  fc.assert(
    fc.property(lines, (texts) => {
      const reader = new EventReader(2);
      const read = (text: string) => reader.read(text);
      for (const text of texts) expect(outcomeOf(read, text)).toEqual(outcomeOf(parseEventLine, text));
    }),
    { numRuns: 5_000 },
  );
});

test('reads lines alike before, while and after it rests, which it does where words are not said again', () => {
  const reader = new EventReader(8);
  const device = { id: 'd', confidence: 'HIGH' } as const;
  const lineOf = (t: number, ip: number) =>
    JSON.stringify({ t, op: 'fail', account: 'a', ip: `192.0.2.${ip}`, device });
  let t = 1;
  const readAgain = (lines: number, ipOf: (line: number) => number): boolean => {
    let last: ReplayEvent | null = null;
    let isKept = false;
    for (let line = 0; line < lines; line += 1, t += 1) {
      const text = lineOf(t, ipOf(line));
      const event = reader.read(text);
      expect(said(event)).toEqual(said(parseEventLine(text)));
      isKept = event.device === last?.device;
      last = event;
    }
    return isKept;
  };
  expect(readAgain(600, () => 1)).toBe(true);
  expect(readAgain(1_200, (line) => line % 200)).toBe(false);
  expect(readAgain(100, () => 1)).toBe(false);
  expect(readAgain(32_768, () => 1)).toBe(true);
});

test('reads what an account says again without parsing it', () => {
  const reader = new EventReader(8);
  const words = '"account":"a","ip":"192.0.2.1","device":{"id":"d","confidence":"HIGH"}}';
  const first = reader.read(`{"t":1,"op":"check",${words}`);
  const second = reader.read(`{"t":2,"op":"fail",${words}`);
  expect(said(second)).toEqual({ ...said(first), t: 2, op: 'fail' });
  expect(second.device).toBe(first.device);
});
