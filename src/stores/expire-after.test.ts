import { describe, expect, test } from 'vitest';
import { expireAfter } from './expire-after.ts';

const limitMs = 20;

/** The whole process waits, its timers and its answers too. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Resolves with how long it took to expire, in milliseconds. */
const expiry = (begun: () => void = () => undefined) =>
  new Promise<number>((resolve) => {
    const startedAtMs = performance.now();
    expireAfter(limitMs, () => resolve(performance.now() - startedAtMs));
    begun();
  });

describe('what expires after a time', () => {
  test('does not expire sooner', async () => {
    expect(await expiry()).toBeGreaterThanOrEqual(limitMs - 1);
  });

  test('has its time once more where the process stood still', async () => {
    expect(await expiry(() => standStill(5 * limitMs))).toBeGreaterThanOrEqual(6 * limitMs - 2);
  });

  test('does not expire once it is cancelled, also in its second time', async () => {
    let hasExpired = false;
    const expire = (): void => {
      hasExpired = true;
    };
    const cancelFirst = expireAfter(limitMs, expire);
    cancelFirst();
    const cancelSecond = expireAfter(limitMs, expire);
    standStill(5 * limitMs);
    await new Promise((resolve) => setTimeout(resolve, 1));
    await new Promise((resolve) => setImmediate(resolve));
    cancelSecond();
    await expiry();
    await expiry();
    expect(hasExpired).toBe(false);
  });
});
