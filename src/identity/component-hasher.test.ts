import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ComponentKind, createComponentHasher } from './component-hasher.ts';

const secret = 'a secret of enough bytes';
const previousSecret = 'the secret that was before';
const kinds = ['account', 'network', 'prefix', 'agent', 'device'] as const satisfies readonly ComponentKind[];

const byCrypto = (key: string, kind: string, value: string) =>
  createHmac('sha256', key).update(`${kind}\0${value}`).digest('base64url').slice(0, 22);

test('hashes kind and value, remembered or not, now and before', () => {
  const hash = createComponentHasher({ secret, previousSecret });
  const values = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ minLength: 250, maxLength: 5_000 }));
  fc.assert(
    fc.property(fc.constantFrom(...kinds), values, (kind, value) => {
      const expected = { hash: byCrypto(secret, kind, value), was: byCrypto(previousSecret, kind, value) };
      expect(hash(kind, value)).toEqual(expected);
      expect(hash(kind, value)).toEqual(expected);
    }),
  );
});

test('the same value of two kinds has two hashes', () => {
  const hash = createComponentHasher({ secret });
  expect(new Set(kinds.map((kind) => hash(kind, 'same').hash)).size).toBe(kinds.length);
});

test('without a rotation there is no hash from before', () => {
  expect(createComponentHasher({ secret })('account', 'a').was).toBeNull();
});

test('a remembered value is the same token', () => {
  const hash = createComponentHasher({ secret });
  expect(hash('account', 'a')).toBe(hash('account', 'a'));
});

test.each([
  { secret: 'short' },
  { secret, previousSecret: 'short' },
  { secret, previousSecret: secret },
  { secret, previousSecret: Buffer.from(secret) },
])('secrets that are short or the same are refused', (secrets) => {
  expect(() => createComponentHasher(secrets)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
});
