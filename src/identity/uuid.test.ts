import { expect, it } from 'vitest';
import { nextUuid } from './uuid.ts';

const enough = 1_000;

it('are UUIDs of version 4, none twice', () => {
  const made = new Set<string>();
  for (let count = 0; count < enough; count += 1) made.add(nextUuid());
  expect(made.size).toBe(enough);
  for (const uuid of made) {
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});

it('have every digit at every place that is free', () => {
  const seen = Array.from({ length: 36 }, () => new Set<string>());
  for (let count = 0; count < enough; count += 1) {
    [...nextUuid()].forEach((digit, place) => {
      seen[place]?.add(digit);
    });
  }
  const fixed = new Map([8, 13, 14, 18, 23].map((place) => [place, 1])).set(19, 4);
  expect(seen.map(({ size }) => size)).toEqual(seen.map((_, place) => fixed.get(place) ?? 16));
});
