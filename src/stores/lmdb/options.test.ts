import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLmdbStore, type LmdbStoreOptions } from './index.ts';
import { settingsOf } from './options.ts';

describe('options of the embedded store', () => {
  test('have defaults', () => {
    const { clockFrom, ...settings } = settingsOf({ path: 'data' });
    expect(settings).toEqual({ path: 'data', maxBytes: 1024 ** 3, deadlineMs: 50 });
    vi.useFakeTimers({ toFake: ['Date'], now: 7 });
    onTestFinished(() => void vi.useRealTimers());
    expect(clockFrom(Number.NEGATIVE_INFINITY)()).toBe(7);
    expect(clockFrom(9)()).toBe(9);
  });

  test('take whole milliseconds from a clock that has fractions, and take it at its word', () => {
    expect(settingsOf({ path: 'data', clock: () => 7.9 }).clockFrom(9)()).toBe(7);
  });

  test.each([undefined, null, 'a place'])('are an object, not %j', (options) => {
    expect(() => createLmdbStore(options as unknown as LmdbStoreOptions)).toThrow(
      'options of the embedded store must be an object, got ',
    );
  });

  test.each<[string, object]>([
    ['no path', {}],
    ['path', { path: '' }],
    ['path', { path: 7 }],
    ['maxBytes', { path: 'data', maxBytes: 1_000 }],
    ['maxBytes', { path: 'data', maxBytes: Number.NaN }],
    ['deadlineMs', { path: 'data', deadlineMs: 0 }],
    ['an unknown name', { path: 'data', maxSize: 5 }],
    ['a clock that is none', { path: 'data', clock: 5 }],
  ])('are refused when they are wrong: %s', (_, options) => {
    expect(() => createLmdbStore(options as LmdbStoreOptions)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });
});
