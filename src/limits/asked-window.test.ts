import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AskedWindow } from '../core/client-state.ts';
import { forgetAsked, noteAsked, nothingAsked } from './asked-window.ts';

const start = 1_700_000_000_000;
const windowMs = 5_000;
const anyCall = fc.record({
  gapMs: fc.oneof(fc.nat(150), fc.nat(2_000), fc.constant(6_000)),
  milli: fc.oneof(fc.constant(0), fc.nat(4_000)),
});
const anyMost = fc.constantFrom(0, 3_000, 20_000, 60_000, Number.POSITIVE_INFINITY);
/** Calls share an entry for as long while little is asked for. */
const mostSharedMs = 1_000;

interface Sum {
  readonly exact: number;
  /** Of what is younger than the window by more than what calls may share. */
  readonly certain: number;
}

function sumOf(calls: readonly { at: number; milli: number }[], now: number): Sum {
  let exact = 0;
  let certain = 0;
  for (const { at, milli } of calls) {
    if (at > now - windowMs) exact += milli;
    if (at > now - windowMs + mostSharedMs) certain += milli;
  }
  return { exact, certain };
}

describe('a window of what is asked for', () => {
  it('is never too much by what is over, and always by what calls cannot have shared with that', () => {
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 120, size: 'max' }), anyMost, (calls, most) => {
        const window: AskedWindow = { ...nothingAsked };
        const noted: { at: number; milli: number }[] = [];
        let now = start;
        for (const { gapMs, milli } of calls) {
          now += gapMs;
          noted.push({ at: now, milli });
          const isTooMuch = noteAsked(window, milli, now, most);
          const { exact, certain } = sumOf(noted, now);
          if (isTooMuch) expect(exact).toBeGreaterThan(most);
          else expect(certain).toBeLessThanOrEqual(most);
        }
      }),
    );
  });

  it('has a total that is the sum of its entries', () => {
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 120, size: 'max' }), anyMost, (calls, most) => {
        const window: AskedWindow = { ...nothingAsked };
        let now = start;
        for (const { gapMs, milli } of calls) {
          now += gapMs;
          noteAsked(window, milli, now, most);
          const listed = window.asked.reduce((sum, each, index) => sum + (index % 2 === 1 ? each : 0), 0);
          expect(window.askedTotal).toBe(listed + window.asking);
        }
      }),
    );
  });

  it('never changes a list that an earlier record may have', () => {
    const window: AskedWindow = { ...nothingAsked };
    for (let count = 0; count < 200; count += 1) {
      const before = window.asked;
      const copy = [...before];
      noteAsked(window, 1_000, start + count * 130, 0);
      expect(before).toEqual(copy);
    }
    expect(window.asked.length / 2).toBeGreaterThan(30);
  });

  it('keeps twenty entries of those who ask for all that a limit allows', () => {
    const window: AskedWindow = { ...nothingAsked };
    // Ten a second, where five hundred within five seconds are too much.
    for (let count = 0; count < 1_000; count += 1) noteAsked(window, 1, start + count * 100, 500);
    expect(window.asked.length / 2).toBeLessThanOrEqual(20);
  });

  it('keeps five entries of those who ask for little, however often', () => {
    const window: AskedWindow = { ...nothingAsked };
    for (let count = 0; count < 1_000; count += 1) noteAsked(window, 1, start + count * 10, 20_000);
    expect(window.asked.length / 2).toBeLessThanOrEqual(5);
  });

  it('can be forgotten', () => {
    const window: AskedWindow = { ...nothingAsked };
    for (let count = 0; count < 20; count += 1) noteAsked(window, 1_000, start + count * 200, 0);
    forgetAsked(window);
    expect(window).toEqual(nothingAsked);
  });
});
