import { expect, it } from 'vitest';
import { assertName, isName } from './names.ts';

it.each(['a', 'eu-west.1', '_', 'A'.repeat(64)])('takes %s as a name', (name) => {
  expect(isName(name)).toBe(true);
  expect(() => assertName('environment', name)).not.toThrow();
});

it.each([
  ['', 'an empty string'],
  ['a'.repeat(65), 'a string of 65 characters'],
  ['a:b', 'a string of 3 characters'],
  ['{a}', 'a string of 3 characters'],
  ['a\n', 'a string of 2 characters'],
  ['é', 'a string of 1 characters'],
  [7, 'an integer of 1 digit'],
  [undefined, 'nothing'],
])('refuses %j, which would break a key, a label or a header', (name, told) => {
  expect(() => assertName('environment', name)).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: `environment must be 1 to 64 letters, digits, "_", "." or "-", got ${told}`,
    }),
  );
});
