import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyRing } from './key-ring.ts';
import { MAX_HOPS, MAX_PASSPORT_CHARS, type Passport, readPassport, writePassport } from './passport.ts';
import { readReceipt, writeReceipt } from './receipt.ts';

const k1 = { id: 'k1', secret: 'first secret of at least 32 bytes' };
const k2 = { id: 'k2', secret: 'second secret of at least 32 bytes' };
const keys = new KeyRing(k1, null);

const slugKey = fc
  .tuple(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/), fc.integer({ min: 0, max: 999_999 }))
  .map(([name, major]) => `${name}@${major}`);
const passport: fc.Arbitrary<Passport> = fc.record({
  requestId: fc.stringMatching(/^[!-~]{1,128}$/),
  hops: fc.array(slugKey, { minLength: 1, maxLength: MAX_HOPS }),
  retries: fc.integer({ min: 0, max: 100 }),
  remainingMs: fc.integer({ min: 0, max: 600_000 }),
  nonce: fc.stringMatching(/^[\w-]{1,32}$/),
});

/** Any other text of nearly the same content: one character changed, removed, added, swapped; or cut off. */
const mutation = fc.oneof(
  fc.record({ kind: fc.constant('replace' as const), at: fc.nat(), with: fc.stringMatching(/^[ -~]$/) }),
  fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), with: fc.stringMatching(/^[ -~]{1,3}$/) }),
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat(), with: fc.constant('') }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat(), with: fc.constant('') }),
  fc.record({ kind: fc.constant('swap' as const), at: fc.nat(), with: fc.constant('') }),
);

function mutate(text: string, { kind, at, with: piece }: { kind: string; at: number; with: string }): string {
  const index = at % text.length;
  const [head, here, tail] = [text.slice(0, index), text[index] ?? '', text.slice(index + 1)];
  switch (kind) {
    case 'replace':
      return head + piece + tail;
    case 'insert':
      return head + piece + here + tail;
    case 'remove':
      return head + tail;
    case 'swap':
      return head + tail.slice(0, 1) + here + tail.slice(1);
    default:
      return head;
  }
}

describe('a passport', () => {
  it('reads as it was written', () => {
    fc.assert(
      fc.property(passport, (written) => {
        const text = writePassport(written, keys);
        expect(text.length).toBeLessThanOrEqual(MAX_PASSPORT_CHARS);
        expect(readPassport(text, keys)).toEqual({ valid: true, passport: written });
      }),
    );
  });

  it('is rejected after any change', () => {
    fc.assert(
      fc.property(passport, mutation, (written, change) => {
        const text = writePassport(written, keys);
        const changed = mutate(text, change);
        fc.pre(changed !== text);
        expect(readPassport(changed, keys).valid).toBe(false);
      }),
      { numRuns: 3_000 },
    );
  });

  it('is rejected after every single change of one character', () => {
    const text = writePassport(
      { requestId: 'r;1', hops: ['a@1', 'b@1'], retries: 2, remainingMs: 500, nonce: 'n1' },
      keys,
    );
    for (let index = 0; index < text.length; index += 1) {
      for (let code = 0; code < 256; code += 1) {
        const changed = text.slice(0, index) + String.fromCharCode(code) + text.slice(index + 1);
        if (changed !== text) expect(readPassport(changed, keys).valid).toBe(false);
      }
    }
  });

  it('is rejected when it is another text altogether', () => {
    fc.assert(fc.property(fc.string(), (text) => !readPassport(text, keys).valid));
  });

  it('says what is wrong with it', () => {
    const written: Passport = { requestId: 'r', hops: ['a@1'], retries: 1, remainingMs: 1, nonce: 'n' };
    const flawOf = (text: string, ring = keys) => {
      const reading = readPassport(text, ring);
      return reading.valid ? null : reading.flaw;
    };
    const text = writePassport(written, keys);
    expect(flawOf('x'.repeat(MAX_PASSPORT_CHARS + 1))).toBe('too-long');
    expect(flawOf('nonsense')).toBe('malformed');
    expect(flawOf(text, new KeyRing(k2, null))).toBe('unknown-key');
    expect(flawOf(text, new KeyRing({ ...k1, secret: k2.secret }, null))).toBe('bad-signature');
    expect(flawOf(`${text}x`)).toBe('bad-signature');
    const tooMany = { ...written, hops: Array.from({ length: MAX_HOPS + 1 }, () => 'a@1') };
    expect(flawOf(writePassport(tooMany, keys))).toBe('too-many-hops');
    expect(flawOf(writePassport({ ...written, hops: ['a'] }, keys))).toBe('malformed');
    expect(flawOf(writePassport({ ...written, retries: 101 }, keys))).toBe('malformed');
    expect(flawOf(writePassport({ ...written, remainingMs: 600_001 }, keys))).toBe('malformed');
    expect(flawOf(writePassport({ ...written, remainingMs: -1 }, keys))).toBe('malformed');
  });
});

describe('keys', () => {
  const written: Passport = { requestId: 'r', hops: ['a@1'], retries: 1, remainingMs: 1, nonce: 'n' };

  it('rotate without a passport being dropped, in three moves', () => {
    const moves = [new KeyRing(k1, null), new KeyRing(k1, k2), new KeyRing(k2, k1), new KeyRing(k2, null)];
    for (const [index, ring] of moves.entries()) {
      // During a move some services are still one move behind.
      for (const other of [moves[index - 1] ?? ring, ring]) {
        expect(readPassport(writePassport(written, ring), other).valid).toBe(true);
        expect(readPassport(writePassport(written, other), ring).valid).toBe(true);
      }
    }
  });

  it('sign by their bytes, whether given as text or as bytes', () => {
    const bytes = new KeyRing({ id: 'k1', secret: new TextEncoder().encode(k1.secret) }, null);
    expect(readPassport(writePassport(written, bytes), keys).valid).toBe(true);
  });
});

describe('a receipt', () => {
  const receipt = fc.record({ unused: fc.integer({ min: 0, max: 100 }), failedBelow: fc.boolean() });

  it('reads as it was written, for its own call', () => {
    fc.assert(
      fc.property(receipt, (written) => {
        const text = writeReceipt(written, 'n1', keys);
        expect(readReceipt(text, 'n1', written.unused, keys)).toEqual({ valid: true, receipt: written });
      }),
    );
  });

  it('is no good for another call, for more than was lent, or after any change', () => {
    fc.assert(
      fc.property(receipt, mutation, (written, change) => {
        const text = writeReceipt(written, 'n1', keys);
        expect(readReceipt(text, 'n2', 100, keys)).toEqual({ valid: false, flaw: 'bad-signature' });
        if (written.unused > 0) {
          const flaw = { valid: false, flaw: 'too-generous' };
          expect(readReceipt(text, 'n1', written.unused - 1, keys)).toEqual(flaw);
        }
        const changed = mutate(text, change);
        fc.pre(changed !== text);
        expect(readReceipt(changed, 'n1', 100, keys).valid).toBe(false);
      }),
    );
  });

  it('is not a passport, even with the same content', () => {
    const signed = keys.sign('passport', 'n1;2;0');
    expect(readReceipt(`1;k1;${signed};2;0`, 'n1', 2, keys).valid).toBe(false);
  });

  it('is not read when it is far too long', () => {
    expect(readReceipt('1'.repeat(10_000), 'n1', 2, keys)).toEqual({ valid: false, flaw: 'malformed' });
  });
});
