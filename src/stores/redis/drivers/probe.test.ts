import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Probe } from './probe.ts';

describe('a connection in doubt', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  async function isGivenUp(ping: (word: string) => Promise<unknown>): Promise<boolean> {
    const connection = {};
    const dead = vi.fn<(connection: object) => void>();
    void new Probe((_: object, word) => ping(word), dead).doubt(connection);
    await vi.advanceTimersByTimeAsync(1_000);
    return dead.mock.calls.length > 0;
  }

  test.each([
    ['says the word', async (word: string) => word],
    ['answers as some proxies do', async () => 'PONG'],
    ['refuses', () => Promise.reject(new TypeError('LOADING Redis is loading the dataset in memory'))],
  ])('is kept when it %s', async (_, ping) => {
    expect(await isGivenUp(ping)).toBe(false);
  });

  test.each([
    ['says nothing', () => new Promise(() => undefined)],
    ['says what another command was to be told', async () => 'OK'],
    ['says the word of another ping', async () => '7d1f5f0e-6a55-4d0e-8ac8-1c4c1c3f2b11'],
    ['says what a script was to return', async () => [1]],
  ])('is given up when it %s', async (_, ping) => {
    expect(await isGivenUp(ping)).toBe(true);
  });
});
