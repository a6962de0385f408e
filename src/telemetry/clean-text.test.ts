import { describe, expect, it } from 'vitest';
import { cleanText } from './clean-text.ts';

describe('text from outside', () => {
  it.each([
    ['asked by alice@example.com', 'asked by [account]'],
    ['from 192.0.2.7 and 2001:db8::7.', 'from [address] and [address].'],
    ['abuse from ip:2001:db8:1:2::7', 'abuse from ip:[address]'],
    ['see addr:2001:db8::7, blocked', 'see addr:[address], blocked'],
    ['client=2001:db8:0:0:0:0:0:7:51234', 'client=[address]'],
    ['net fe:2001:db8:1:2:3:4:5:6:443: refused', 'net [address]: refused'],
    ['at 2001:db8::7:51234.', 'at [address].'],
    ['from ::1 and ::', 'from [address] and [address]'],
    ['from ip:::1', 'from ip:[address]'],
    ['at 12:30:59', 'at 12:30:59'],
    ['blocked müller@bücher.de', 'blocked [account]'],
    ['алиса@пример.рф complained', '[account] complained'],
    ['राम@उदाहरण.भारत', '[account]'],
    ['two\nlines', 'two\\u000alines'],
  ])('%j', (text, expected) => {
    expect(cleanText(text)).toBe(expected);
  });

  it('is cut after what has to be hidden is, so that no half of it is left', () => {
    for (const identifier of ['alice@example.com', '192.0.2.77', '2001:db8:1:2:3:4:5:6']) {
      for (let before = 180; before <= 200; before += 1) {
        const shown = cleanText(`${'x'.repeat(before)} ${identifier} and more`);
        expect(shown.length).toBeLessThanOrEqual(201);
        expect(shown).not.toMatch(/al|\d/);
      }
    }
  });

  it('keeps no half of a character where it is cut', () => {
    expect(cleanText(`${'x'.repeat(199)}😀😀`)).toBe(`${'x'.repeat(199)}…`);
  });

  it('is quick, however long', () => {
    for (const text of ['a@', 'ü@ü', 'ü.', ':', 'a:', '1:2', '@ü.'])
      expect(cleanText(text.repeat(1_000_000)).length).toBeLessThanOrEqual(201);
  });
});
