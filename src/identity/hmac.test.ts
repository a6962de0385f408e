import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHmacText } from './hmac.ts';

const byCrypto = (secret: string | Uint8Array, message: string) =>
  createHmac('sha256', secret).update(message).digest('base64url').slice(0, 22);

test('is HMAC-SHA256 for secrets and messages of any length', () => {
  const secret = fc.oneof(
    fc.uint8Array({ minLength: 16, maxLength: 200 }),
    fc.string({ unit: 'binary', minLength: 16, maxLength: 100 }),
  );
  const message = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'binary', minLength: 1_300, maxLength: 1_500 }),
  );
  fc.assert(
    fc.property(secret, fc.array(message, { minLength: 1, maxLength: 4 }), (bytes, messages) => {
      const hmac = createHmacText(bytes);
      for (const text of messages) expect(hmac(text)).toBe(byCrypto(bytes, text));
    }),
    { numRuns: 300 },
  );
});

test.each([63, 64, 65])('is HMAC-SHA256 for a secret of %i bytes, around the block size', (length) => {
  const secret = new Uint8Array(length).fill(7);
  expect(createHmacText(secret)('message')).toBe(byCrypto(secret, 'message'));
});

test('does not change when the caller clears the bytes of the secret', () => {
  const secret = new Uint8Array(32).fill(7);
  const hmac = createHmacText(secret);
  const before = hmac('message');
  secret.fill(0);
  expect(hmac('message')).toBe(before);
});

test.each(['', 'x'.repeat(15), new Uint8Array(15)])('a secret under 16 bytes is refused', (secret) => {
  expect(() => createHmacText(secret)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
});

test('the length of a secret counts in bytes', () => {
  expect(createHmacText('ä'.repeat(8))('message')).toBe(byCrypto('ä'.repeat(8), 'message'));
});
