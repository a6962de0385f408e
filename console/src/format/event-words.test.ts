import { describe, expect, it } from 'vitest';
import { eventWords } from './event-words.ts';

const act = (fields: object) =>
  eventWords({ seq: 1, t: 0, type: 'audit', by: 'anna', why: 'a sale', ...fields });
const pins = (...ids: readonly string[]) =>
  eventWords({ seq: 1, t: 0, type: 'pin', pins: ids.map((id) => ({ id, until: 9 })) });

describe('what an operator did, in a sentence', () => {
  it('names the block', () => {
    expect(act({ what: 'lifted', block: 'login:K4:hash' })).toBe('anna lifted a block: a sale');
    expect(act({ what: 'placed', block: 'login:K1:hash' })).toBe('anna placed a block: a sale');
  });

  it.each([
    ['limit:anonymous', 'the limit of anonymous callers'],
    ['limit:user:hash', 'the limit of one user'],
    ['failure:login', 'what login does without the store'],
    ['scenario:scraping', 'scenario scraping, off'],
    ['shadow:login:churn', 'rule churn of login, in shadow'],
    ['something-new', 'something-new'],
  ])('names what is pinned by %s, and calls it no block', (block, words) => {
    expect(act({ what: 'pinned', block })).toBe(`anna pinned ${words}: a sale`);
    expect(act({ what: 'unpinned', block })).toBe(`anna unpinned ${words}: a sale`);
  });

  it('calls a device by its name', () => {
    expect(act({ what: 'removed', block: 'book:K5:account:device' })).toBe('anna removed a device: a sale');
  });

  it('does not tell as done what nobody knows of', () => {
    expect(act({ what: 'lifted', block: 'login:K4:hash', unsure: true })).toBe(
      'anna may have lifted a block, or not, for the store failed: a sale',
    );
  });
});

describe('a change of the pins, in a sentence', () => {
  it('names those that hold now', () => {
    expect(pins('limit:anonymous', 'scenario:scraping')).toBe(
      '2 pins hold now: the limit of anonymous callers; scenario scraping, off',
    );
    expect(pins('failure:login')).toBe('1 pin holds now: what login does without the store');
    expect(pins()).toBe('No pin holds any more');
  });

  it('stays short where there are many', () => {
    const words = pins(...Array.from({ length: 64 }, (_, n) => `limit:user:hash-${n}`));
    expect(words).toBe(
      '64 pins hold now: the limit of one user; the limit of one user; the limit of one user; and 61 more',
    );
  });
});

it('names an event that the console does not know', () => {
  expect(eventWords({ seq: 1, t: 0, type: 'eclipse' })).toBe('eclipse');
});
