import { expect, it } from 'vitest';
import { counted } from './counted.ts';

it('counts in the right number', () => {
  expect([0, 1, 2].map((count) => counted(count, 'event'))).toEqual(['0 events', '1 event', '2 events']);
});
