import { describe, expect, test } from 'vitest';
import { ServerClock } from './server-clock.ts';

describe('the time of a server', () => {
  test('goes on between its replies, and follows it forward', () => {
    let monotonicMs = 100;
    const clock = new ServerClock(() => monotonicMs);
    expect(clock.learn(5_000)).toBe(5_000);
    monotonicMs += 250;
    expect(clock.now()).toBe(5_250);
    expect(clock.learn(9_000)).toBe(9_000);
  });

  test('is not set back with it, but goes on at half speed until it is caught up with', () => {
    let monotonicMs = 0;
    const clock = new ServerClock(() => monotonicMs);
    clock.learn(3_600_000);
    expect(clock.learn(1_000)).toBe(3_600_000);
    monotonicMs += 60_000;
    expect(clock.now()).toBe(3_630_000);
    expect(clock.learn(61_000)).toBe(3_630_000);
  });
});
