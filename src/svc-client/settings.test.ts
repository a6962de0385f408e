import { describe, expect, it } from 'vitest';
import { Fault } from '../core/fault.ts';
import type { SvcClientOptions } from './options.ts';
import { readCheckpointSettings, readSettings } from './settings.ts';

const keys = [{ id: 'k1', secret: 'x'.repeat(32) }];
const options: SvcClientOptions = {
  self: 'orders@1',
  keys,
  targets: { 'stock@1': { url: 'http://stock:80/api/' } },
};

/** The problems of options that a compiler would not let pass either. */
function problemsOf(bad: unknown): string[] {
  try {
    readSettings(bad as SvcClientOptions);
  } catch (error) {
    if (error instanceof Fault && error.code === 'CONFIG_INVALID') return error.message.split('; ');
    throw error;
  }
  return [];
}

describe('settings', () => {
  it('have the defaults that are documented', () => {
    const settings = readSettings(options);
    expect(settings).toMatchObject({
      self: 'orders@1',
      retries: 3,
      deadlineMs: 10_000,
      globalPool: { ratePerSecond: 1_000, burst: 2_000 },
      globalBreaker: {
        policy: { holdMs: 10_000, closingMs: 20_000 },
        spike: { factor: 4, floorMs: 100, slotMs: 5_000, minSamples: 20, minSlots: 12 },
        saturationMs: 10_000,
        partitionTargets: 3,
        partitionShare: 0.5,
      },
    });
    expect(settings.targets.get('stock@1')).toEqual({
      slugKey: 'stock@1',
      urls: [{ origin: 'http://stock', prefix: '/api' }],
      pool: { ratePerSecond: 100, burst: 200 },
      queue: null,
      timeoutMs: 2_000,
      connections: 64,
      stallMs: 10_000,
      backoff: { firstMs: 50, maxMs: 2_000 },
      retryBudget: { share: 0.2, perSecond: 10 },
      breaker: { threshold: 5, windowMs: 30_000, cooldownMs: 10_000, maxCooldownMs: 120_000, goodProbes: 3 },
      passport: true,
    });
  });

  it('of which some are given keep the other defaults', () => {
    const target = {
      url: ['https://a', 'https://b'],
      pool: { burst: 5 },
      queue: { limit: 9, deadlineMs: 70 },
    };
    const { targets } = readSettings({ ...options, targets: { 's@1': target } });
    expect(targets.get('s@1')).toMatchObject({
      urls: [{ origin: 'https://a' }, { origin: 'https://b' }],
      pool: { ratePerSecond: 100, burst: 5 },
      queue: { limit: 9, deadlineMs: 70 },
    });
  });

  it('tell every problem at once, with its path and what is expected', () => {
    const bad = {
      self: 'orders',
      keys: [{ id: 'k 1', secret: 'short' }],
      retries: 1.5,
      shadow: ['loop', 'lop'],
      colour: 'red',
      globalPool: { ratePerSecond: 0 },
      targets: {
        'stock@1': { url: 'ftp://x', pool: { burst: 'many', rate: 1 }, passport: 'yes' },
        stock: { url: [] },
      },
    };
    expect(problemsOf(bad)).toEqual([
      'colour: unknown field',
      'self: expected name@major, got a string of 6 characters',
      'keys[0].id: expected 1 to 16 letters, digits, - or _, got a string of 3 characters',
      'keys[0].secret: expected at least 32 bytes, got a string of 5 characters',
      'retries: expected a whole number from 0 to 100, got the number 1.5',
      'shadow[1]: expected a denial reason, got a string of 3 characters',
      'targets.stock@1.passport: expected a boolean, got a string of 3 characters',
      'targets.stock@1.url: expected an http(s) URL without credentials, query or fragment, got a string of 7 characters',
      'targets.stock@1.pool.rate: unknown field',
      'targets.stock@1.pool.burst: expected a whole number from 1 to 1000000, got a string of 4 characters',
      'targets.stock: expected name@major, got a string of 5 characters',
      'targets.stock.url: expected at least one URL, got an array of 0',
      'globalPool.ratePerSecond: expected a whole number from 1 to 1000000, got the integer 0',
    ]);
  });

  it.each([
    ['no options', undefined, 'self: '],
    ['a list', [], 'options: expected an object'],
    ['no keys', { ...options, keys: [] }, 'keys: expected one or two keys'],
    ['three keys', { ...options, keys: [...keys, ...keys, ...keys] }, 'keys: expected one or two keys'],
    ['one key twice', { ...options, keys: [...keys, ...keys] }, 'keys[1].id: expected another id'],
    ['no targets', { ...options, targets: {} }, 'targets: expected at least one target'],
    ['no address', { ...options, targets: { 's@1': {} } }, 'targets.s@1.url: '],
    ['credentials', { ...options, targets: { 's@1': { url: 'http://u:p@x' } } }, 'targets.s@1.url: '],
    ['a password alone', { ...options, targets: { 's@1': { url: 'http://:p@x' } } }, 'targets.s@1.url: '],
    ['a query', { ...options, targets: { 's@1': { url: 'http://x/?q' } } }, 'targets.s@1.url: '],
    ['a shadow that is no list', { ...options, shadow: 'loop' }, 'shadow: expected a list'],
  ])('refuse %s', (_, bad, problem) => {
    expect(problemsOf(bad).some((text) => text.startsWith(problem))).toBe(true);
  });

  it('are refused where one takes away what another asks for', () => {
    const target = { url: 'http://s', breaker: { cooldownMs: 300_000 } };
    expect(
      problemsOf({ ...options, targets: { 's@1': target }, globalBreaker: { slotMs: 600_000 } }),
    ).toEqual([
      'targets.s@1.breaker.maxCooldownMs: expected at least cooldownMs (300000), got the integer 120000',
      'globalBreaker.minSlots: expected at most 4, all that an hour of slotMs (600000) has to compare with, got the integer 12',
    ]);
    const fitting = { cooldownMs: 300_000, maxCooldownMs: 300_000 };
    readSettings({
      ...options,
      targets: { 's@1': { url: 'http://s', breaker: fitting } },
      globalBreaker: { slotMs: 600_000, minSlots: 4 },
    });
  });

  it('of a checkpoint alone have no targets', () => {
    expect(readCheckpointSettings({ self: 'a@1', keys, retries: 1 }).retries).toBe(1);
    expect(() => readCheckpointSettings(options)).toThrow('targets: unknown field');
  });

  it('do not repeat a secret', () => {
    const secret = 'short but secret';
    expect(problemsOf({ ...options, keys: [{ id: 'k', secret }] }).join()).not.toContain(secret);
  });
});
