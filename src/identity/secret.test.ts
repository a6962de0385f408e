import { expect, test } from 'vitest';
import { createGuard } from '../index.ts';
import { assertSecret } from './hmac.ts';

test.each([undefined, null, 3, {}])('a secret that is %s is named, and how to make one', (secret) => {
  expect(() => assertSecret(secret)).toThrow(/^secret must be text or bytes, at least 16 \(openssl/);
});

test('a guard without options says what it needs', () => {
  const make = createGuard as (options?: unknown) => unknown;
  expect(() => make()).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  expect(() => make({ secret: undefined })).toThrow(/secret must be text or bytes/);
});
