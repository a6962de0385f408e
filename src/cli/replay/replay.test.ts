import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openEngine, openReplayStore } from '../engine-options.ts';
import { parseEventLine } from './event-line.ts';
import { EventReader } from './event-reader.ts';
import { LineReader } from './line-reader.ts';
import { type Decide, decideImmediately } from './replay.ts';

/** Few accounts, each mostly from the same place: what they say comes again and again. */
const lines = fc.array(
  fc.record({
    op: fc.constantFrom('check', 'fail', 'succeed'),
    action: fc.constantFrom('auth.login', 'auth.otp'),
    account: fc.constantFrom('a', 'b', 'c'),
    ip: fc.constantFrom('192.0.2.1', '192.0.2.1', '192.0.2.1', '2001:db8::1'),
    device: fc.constantFrom({ id: 'd', confidence: 'MEDIUM' }, null),
  }),
  { minLength: 20, maxLength: 60 },
);

async function open(): Promise<Decide> {
  const { store, setTime } = openReplayStore();
  return decideImmediately(await openEngine(), store.immediate, setTime);
}

test('decides on words that were heard before as on any, whoever has heard them', async () => {
  await fc.assert(
    fc.asyncProperty(lines, async (events) => {
      const [alone, first, second] = await Promise.all([open(), open(), open()]);
      const reader = new EventReader(8);
      const texts = events.map((event, index) => JSON.stringify({ t: 1_000 * (index + 1), ...event }));
      for (const line of new LineReader('events').push(Buffer.from(`${texts.join('\n')}\n`))) {
        if ('fault' in line) throw line.fault;
        const read = reader.read(line);
        const expected = alone(parseEventLine(line.text));
        expect(first(read)).toEqual(expected);
        expect(second(read)).toEqual(expected);
      }
    }),
    { numRuns: 100 },
  );
});
