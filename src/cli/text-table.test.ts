import { expect, it } from 'vitest';
import { textTable } from './text-table.ts';

it('puts names to the left and numbers to the right, as wide as the widest of a column', () => {
  expect(
    textTable([
      ['attack', 'guesses'],
      ['device rotation', '9'],
      ['spray', ''],
    ]),
  ).toEqual(['attack           guesses', 'device rotation        9', 'spray']);
});
