import { expect, it } from 'vitest';
import { createMemoryStore } from '../stores/memory/index.ts';
import { identifierFor } from './identifier-for.ts';

const secrets = { secret: 'sixteen bytes or more' };
const signalsOf = (account: string) => ({ account, ip: '203.0.113.7' });

/** The subject of one account, before and after those of many others. */
function beforeAndAfter(store: Parameters<typeof identifierFor>[0]) {
  const { identify } = identifierFor(store, secrets);
  const before = identify(signalsOf('alice'));
  for (let index = 0; index < 2_000; index += 1) identify(signalsOf(`a${index}`));
  return { before, after: identify(signalsOf('alice')) };
}

it('remembers thousands of subjects beside a store that answers at once', () => {
  const { before, after } = beforeAndAfter(createMemoryStore());
  expect(after).toBe(before);
});

it('remembers few beside one that takes round trips, and makes the same ones again', () => {
  const { before, after } = beforeAndAfter({});
  expect(after).not.toBe(before);
  expect(after).toEqual(before);
});
