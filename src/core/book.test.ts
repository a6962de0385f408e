import { describe, expect, it } from 'vitest';
import { enterBook, refreshBook } from './book.ts';
import type { Draft } from './records.ts';
import type { BookRecord } from './state.ts';
import type { Confidence } from './subject.ts';

const shown = (hash: string, confidence: Confidence = 'MEDIUM', was: string | null = null) => ({
  token: { hash, was },
  confidence,
});
/** `a 5` or, bound, `a! 5`, or, renamed, `a/was 5`: who is in the book and was used when. */
const bookOf = (at: number, ...entries: string[]): BookRecord => ({
  at,
  devices: entries.map((entry) => {
    const [name = '', usedAt] = entry.split(' ');
    const [id = '', was] = name.replace('!', '').split('/');
    return {
      id,
      ...(was !== undefined && { was }),
      bound: name.endsWith('!'),
      usedAt: Number(usedAt),
    };
  }),
});
const idsOf = ({ devices }: BookRecord) => devices.map(({ id }) => id).join('');

describe('the device book after a success (§6)', () => {
  it('has the device as its last entry; HIGH binds it', () => {
    expect(enterBook(undefined, shown('a'), 9, 3)).toEqual(bookOf(9, 'a 9'));
    expect(enterBook(bookOf(5, 'a 5'), shown('b', 'HIGH'), 9, 3)).toEqual(bookOf(9, 'a 5', 'b! 9'));
  });

  it('refreshes an entry in its place, renames it after a rotation; nothing unbinds it', () => {
    const book = bookOf(5, 'a! 4', 'b 5', 'c 3');
    expect(enterBook(book, shown('a'), 9, 3)).toEqual(bookOf(9, 'a! 9', 'b 5', 'c 3'));
    expect(enterBook(book, shown('b'), 9, 3)).toEqual(bookOf(9, 'a! 4', 'b 9', 'c 3'));
    expect(enterBook(book, shown('b', 'HIGH'), 9, 3)).toEqual(bookOf(9, 'a! 4', 'b! 9', 'c 3'));
    expect(enterBook(book, shown('new', 'MEDIUM', 'c'), 9, 3)).toEqual(bookOf(9, 'a! 4', 'b 5', 'new/c 9'));
  });

  it('never runs backwards in time', () => {
    expect(enterBook(bookOf(20, 'a 20'), shown('b'), 9, 3)).toEqual(bookOf(20, 'a 20', 'b 20'));
  });

  it('when full drops the longest unused unbound entry, else the longest unused; of equals the older', () => {
    expect(idsOf(enterBook(bookOf(5, 'a! 1', 'b 3', 'c 2'), shown('d'), 9, 3))).toBe('abd');
    expect(idsOf(enterBook(bookOf(5, 'a! 1', 'b! 3', 'c 4'), shown('d'), 9, 3))).toBe('abd');
    expect(idsOf(enterBook(bookOf(5, 'a! 2', 'b! 1', 'c! 4'), shown('d'), 9, 3))).toBe('acd');
    expect(idsOf(enterBook(bookOf(5, 'a 2', 'b 2', 'c 2'), shown('d'), 9, 3))).toBe('bcd');
    expect(idsOf(enterBook(bookOf(5, 'a 2', 'b 2'), shown('d'), 9, 3))).toBe('abd');
  });
});

describe('the device book in place', () => {
  it('is as a new one would be, or is left to that one', () => {
    const books = [bookOf(5, 'a! 4', 'b 5', 'c 3'), bookOf(20, 'a 20', 'b/old 3'), bookOf(5)];
    const devices = ['a', 'b', 'c', 'd'].flatMap((id) => [
      shown(id),
      shown(id, 'HIGH'),
      shown(id, 'MEDIUM', 'old'),
      shown(id, 'HIGH', 'a'),
    ]);
    let refreshed = 0;
    for (const book of books) {
      for (const device of devices) {
        const draft = structuredClone(book) as Draft<BookRecord>;
        const expected = enterBook(book, device, 9, 16);
        if (refreshBook(draft, device, 9)) {
          expect(draft).toEqual(expected);
          refreshed += 1;
        } else expect(draft).toEqual(book);
      }
    }
    expect(refreshed).toBe(8);
  });
});
