import { expect, it } from 'vitest';
import { createToldClock, nodeClock, storeClock } from './service-clock.ts';

it('goes on from the time it was told, whatever the browser thinks', () => {
  let browser = 50_000;
  const clock = createToldClock(() => browser);
  expect(clock.now()).toBe(50_000);
  clock.note(1_000);
  browser += 300;
  expect(clock.now()).toBe(1_300);
});

it('keeps the time of the store apart from that of the node', () => {
  storeClock.note(1_000_000);
  nodeClock.note(9_000_000);
  expect(storeClock.now()).toBeLessThan(2_000_000);
});
