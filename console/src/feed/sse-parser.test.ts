import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseParser } from './sse-parser.ts';

describe('a stream of server-sent events', () => {
  it('gives each message with its id, and keeps the last id', () => {
    const parser = new SseParser();
    const messages = parser.push(
      'retry: 2000\n\nid: 7\ndata: {"a":1}\n\n: alive\n\ndata: two\ndata: lines\n\n',
    );
    expect(messages).toEqual([
      { id: '7', event: 'message', data: '{"a":1}' },
      { id: '7', event: 'message', data: 'two\nlines' },
    ]);
    expect(parser.retryMs).toBe(2_000);
  });

  it('is read the same however it is cut, with either end of line', () => {
    const message = fc.record({
      id: fc.integer({ min: 0, max: 1e9 }),
      data: fc.string().map((text) => JSON.stringify(text)),
    });
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 }),
        fc.constantFrom('\n', '\r\n'),
        (messages, cuts, end) => {
          const text = messages.map(({ id, data }) => `id: ${id}${end}data: ${data}${end}${end}`).join('');
          const parser = new SseParser();
          const found = [];
          let at = 0;
          for (let turn = 0; at < text.length; turn += 1) {
            const length = cuts[turn % cuts.length] ?? 1;
            found.push(...parser.push(text.slice(at, at + length)));
            at += length;
          }
          expect(found.map(({ id, data }) => ({ id: Number(id), data }))).toEqual(messages);
        },
      ),
    );
  });

  it('drops a message without end instead of holding it', () => {
    const parser = new SseParser();
    const long = 'x'.repeat(600_000);
    expect(parser.push(`data: ${long}\ndata: ${long}\n\ndata: next\n\n`).map(({ data }) => data)).toEqual([
      'next',
    ]);
  });
});
