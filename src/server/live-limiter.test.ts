import { expect, it } from 'vitest';
import type { Limiter } from '../limits/index.ts';
import { LiveLimiter } from './live-limiter.ts';

/** How many arguments each call has. */
const passedOn: Readonly<Record<Exclude<keyof Limiter, 'name' | 'take' | 'takeAtOnce'>, number>> = {
  settle: 2,
  blocks: 1,
  blockIdOf: 1,
  lift: 1,
  block: 2,
  counts: 0,
};

it.each(Object.entries(passedOn))('passes on all that %s is given', (name, count) => {
  const heard: unknown[][] = [];
  const limiter = new Proxy({} as Limiter, {
    get:
      () =>
      (...args: unknown[]) =>
        heard.push(args),
  });
  const args = Array.from({ length: count }, (_, place) => ({ place }));
  const live = new LiveLimiter(limiter, () => {});
  const call = live[name as keyof typeof passedOn] as (...args: unknown[]) => unknown;
  call(...args);
  expect(heard).toEqual([args]);
});
