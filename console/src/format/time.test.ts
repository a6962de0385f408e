import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countdown, eventTime, sinceZero, zoneWords } from './time.ts';

describe('a countdown', () => {
  it.each([
    [-5, '0 s'],
    [0, '0 s'],
    [1, '1 s'],
    [14_001, '15 s'],
    [59_001, '1:00'],
    [249_000, '4:09'],
    [6 * 3_600_000 - 1_000, '5:59:59'],
    [2 * 86_400_000 + 3 * 3_600_000, '2 d 03:00'],
  ])('of %i ms reads %s', (leftMs, words) => {
    expect(countdown(leftMs)).toBe(words);
  });

  it('never says that it is over while it runs', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e10 }), (leftMs) => {
        expect(countdown(leftMs)).not.toBe('0 s');
      }),
    );
  });
});

it('names the time of a replayed event as a date or since zero', () => {
  expect(eventTime(1_700_000_000_000)).toBe('2023-11-14 22:13:20 UTC');
  expect(eventTime(28_017_309)).toBe('07:46:57');
  expect(sinceZero(90_000_000)).toBe('1 d 01:00:00');
});

it('names a zone and how far it is ahead at that time of the year', () => {
  const summer = Date.UTC(2026, 6, 1);
  const winter = Date.UTC(2026, 0, 1);
  expect(zoneWords(summer, 'Europe/Berlin')).toBe('Europe/Berlin, GMT+2');
  expect(zoneWords(winter, 'Europe/Berlin')).toBe('Europe/Berlin, GMT+1');
  expect(zoneWords(winter, 'Asia/Tehran')).toBe('Asia/Tehran, GMT+3:30');
  expect(zoneWords(winter, 'UTC')).toBe('UTC');
});
