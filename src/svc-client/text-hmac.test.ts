import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTextHmac } from './text-hmac.ts';

const SIGNATURE_CHARS = 22;

function expected(secret: string | Uint8Array, message: string): string {
  return createHmac('sha256', secret).update(message, 'utf8').digest('base64url').slice(0, SIGNATURE_CHARS);
}

/** RFC 4231 §4, those with a text and a secret that is long enough to be one. */
const vectors = [
  {
    secret: Buffer.alloc(20, 0x0b),
    message: 'Hi There',
    digest: 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  },
  {
    secret: Buffer.alloc(131, 0xaa),
    message: 'Test Using Larger Than Block-Size Key - Hash Key First',
    digest: '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  },
  {
    secret: Buffer.alloc(131, 0xaa),
    message:
      'This is a test using a larger than block-size key and a larger than block-size data. ' +
      'The key needs to be hashed before being used by the HMAC algorithm.',
    digest: '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
  },
];

const secrets = fc.oneof(
  fc.uint8Array({ minLength: 32, maxLength: 200 }),
  fc.string({ unit: 'grapheme', minLength: 32, maxLength: 80 }),
);

describe('the HMAC of a text', () => {
  it.each(vectors)('is that of RFC 4231 for "$message"', ({ secret, message, digest }) => {
    const text = Buffer.from(digest, 'hex').toString('base64url').slice(0, SIGNATURE_CHARS);
    expect(createTextHmac(secret)(message)).toBe(text);
  });

  it('is that of node:crypto for every length, over the edges of blocks and of what is short', () => {
    const secret = Buffer.alloc(48, 7);
    const sign = createTextHmac(secret);
    for (let length = 0; length <= 700; length += 1) {
      const message = Array.from({ length }, (_, index) => String.fromCharCode(33 + (index % 94))).join('');
      expect(sign(message), `of ${length} characters`).toBe(expected(secret, message));
    }
  });

  it('is that of node:crypto for any secret and any text', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary-ascii', maxLength: 400 }),
      fc.string({ unit: 'binary', maxLength: 400 }),
    );
    fc.assert(
      fc.property(secrets, fc.array(texts, { minLength: 1, maxLength: 4 }), (secret, messages) => {
        const sign = createTextHmac(secret);
        // One after the other: what one leaves behind must not reach the next.
        for (const message of messages) expect(sign(message)).toBe(expected(secret, message));
      }),
      { numRuns: 1_000 },
    );
  });

  it('keeps the secrets of several signers apart', () => {
    const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const [signOne, signTwo] = [createTextHmac(one), createTextHmac(two)];
    expect([signOne('a'), signTwo('a'), signOne('a')]).toEqual([
      expected(one, 'a'),
      expected(two, 'a'),
      expected(one, 'a'),
    ]);
  });

  it('does not change when the bytes of the secret do', () => {
    const secret = Buffer.alloc(32, 1);
    const sign = createTextHmac(secret);
    const before = sign('a');
    secret.fill(0);
    expect(sign('a')).toBe(before);
    expect(sign('ä')).toBe(expected(Buffer.alloc(32, 1), 'ä'));
  });
});
