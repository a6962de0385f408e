import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../core/duration.ts';
import { checkedNote, checkedText } from './operator-note.ts';
import { checkedPinOrder, checkedSpan, type PinOrder } from './pin-order.ts';

const order: PinOrder = { by: 'anna', why: 'attack on the login', forMs: 60_000 };
const invalid = (message: string) => expect.objectContaining({ code: 'INPUT_INVALID', message });

describe('an order to pin a limit', () => {
  it('is taken with who, why and for how long, and nothing else', () => {
    const more = { ...order, level: 3 };
    expect(checkedPinOrder(more)).toEqual(order);
  });

  it('lasts a day at most', () => {
    expect(checkedPinOrder({ ...order, forMs: DAY_MS }).forMs).toBe(DAY_MS);
    expect(() => checkedPinOrder({ ...order, forMs: DAY_MS + 1 })).toThrow(
      invalid('forMs must be a whole number of ms from 1 to 86400000, got the integer 86400001'),
    );
  });

  it('lasts as long as somebody else says, where that is said', () => {
    expect(checkedPinOrder({ ...order, forMs: 2 * DAY_MS }, 2 * DAY_MS, 1_000).forMs).toBe(2 * DAY_MS);
    expect(() => checkedPinOrder({ ...order, forMs: 999 }, 2 * DAY_MS, 1_000)).toThrow(
      invalid('forMs must be a whole number of ms from 1000 to 172800000, got the integer 999'),
    );
  });

  it.each([
    [null, 'null'],
    ['anna', 'a string of 4 characters'],
    [undefined, 'nothing'],
  ])('is refused where nobody says who and why: %o', (given, shape) => {
    expect(() => checkedPinOrder(given as never)).toThrow(
      invalid(`note must be an object with by and why, got ${shape}`),
    );
  });

  it('is refused where one of them is missing', () => {
    expect(() => checkedPinOrder({ by: 'anna' } as PinOrder)).toThrow(
      invalid('why must be a string of 1 to 500 characters, got nothing'),
    );
    expect(() => checkedPinOrder({ ...order, by: '' })).toThrow(
      invalid('by must be a string of 1 to 500 characters, got an empty string'),
    );
  });
});

describe('a text', () => {
  it('is a text of 1 to 500 characters that says something, kept as it is', () => {
    expect([
      checkedText('why', 'x'),
      checkedText('why', ' x '),
      checkedText('why', 'x'.repeat(500)).length,
    ]).toEqual(['x', ' x ', 500]);
    for (const text of ['', ' \n', 'x'.repeat(501), 7]) {
      expect(() => checkedText('why', text)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
    }
  });
});

describe('a note of an operator', () => {
  it('has who and why, and nothing else', () => {
    const note = { by: 'anna', why: 'scanning' };
    expect(checkedNote({ ...note, ...{ level: 3 } })).toEqual(note);
    expect(() => checkedNote({ ...note, by: ' ' })).toThrow(
      invalid('by must be a string of 1 to 500 characters, got a string of 1 characters'),
    );
  });
});

describe('a span', () => {
  it('is a whole number of milliseconds from 1 to its longest', () => {
    expect([checkedSpan('forMs', 1, 10), checkedSpan('forMs', 10, 10)]).toEqual([1, 10]);
    for (const spanMs of [0, -1, 11, 1.5, Number.NaN]) {
      expect(() => checkedSpan('forMs', spanMs, 10)).toThrow(
        expect.objectContaining({ code: 'INPUT_INVALID' }),
      );
    }
  });
});
