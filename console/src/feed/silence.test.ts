import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Silence } from './silence.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('gives a connection up that says nothing for too long', () => {
  const silence = new Silence(40_000);
  vi.advanceTimersByTime(39_999);
  expect(silence.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(silence.signal.aborted).toBe(true);
});

it('begins anew with every word', () => {
  const silence = new Silence(40_000);
  for (let word = 0; word < 10; word += 1) {
    vi.advanceTimersByTime(30_000);
    silence.broken();
  }
  expect(silence.signal.aborted).toBe(false);
  vi.advanceTimersByTime(40_000);
  expect(silence.signal.aborted).toBe(true);
});

it('is over with the connection', () => {
  const silence = new Silence(40_000);
  silence.over();
  vi.advanceTimersByTime(80_000);
  expect(silence.signal.aborted).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});
