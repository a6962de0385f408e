import * as node from 'node:crypto';
import { BlockList as NodeBlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../src/identity/address.ts';
import { assertSecret, createHmacText } from './hmac.ts';
import { createHash, randomBytes, timingSafeEqual } from './node-crypto.ts';
import { BlockList } from './node-net.ts';
import { emitWarning } from './warning.ts';

describe('what stands in a page for Node', () => {
  it('hashes as Node does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const told = node.createHash('sha256').update(text);
        expect(createHash('sha256').update(text).digest('hex')).toBe(told.copy().digest('hex'));
        expect(createHash('sha256').update(text).digest()).toEqual(new Uint8Array(told.digest()));
      }),
    );
    expect(timingSafeEqual(new Uint8Array([1, 2]), new Uint8Array([1, 2]))).toBe(true);
    expect(timingSafeEqual(new Uint8Array([1, 2]), new Uint8Array([1, 3]))).toBe(false);
    expect(timingSafeEqual(new Uint8Array([1]), new Uint8Array([1, 3]))).toBe(false);
    expect(new Set([...randomBytes(64)]).size).toBeGreaterThan(8);
  });

  it('makes texts of the form that keys have: the first 132 bits of a keyed digest', () => {
    const secret = randomBytes(32);
    const hash = createHmacText(secret);
    const key = String.fromCharCode(...secret);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const digest = node.createHash('sha256').update(`${key}\0${text}`).digest('base64url');
        expect(hash(text)).toBe(digest.slice(0, 22));
      }),
    );
    expect(createHmacText('another secret')('a')).not.toBe(createHmacText('a secret')('a'));
    expect([assertSecret('x'), emitWarning()]).toEqual([undefined, undefined]);
  });

  it('knows which addresses are in a range, as Node does', () => {
    const family = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4');
    const v4 = fc.ipV4();
    const v6 = fc.ipV6().map((text) => parseAddress(text).text);
    const check = (ranges: readonly (readonly [string, number])[], addresses: readonly string[]) => {
      const [ours, theirs] = [new BlockList(), new NodeBlockList()];
      for (const [address, prefix] of ranges) {
        ours.addSubnet(address, prefix, family(address));
        theirs.addSubnet(address, prefix, family(address));
      }
      for (const address of [...addresses, ...ranges.map(([inside]) => inside)]) {
        expect(ours.check(address, family(address))).toBe(theirs.check(address, family(address)));
      }
    };
    fc.assert(
      fc.property(
        fc.array(fc.tuple(v4, fc.integer({ min: 0, max: 32 })), { maxLength: 4 }),
        fc.array(fc.tuple(v6, fc.integer({ min: 0, max: 128 })), { maxLength: 4 }),
        fc.array(fc.oneof(v4, v6), { maxLength: 8 }),
        (four, six, addresses) => check([...four, ...six.filter(([text]) => text.includes(':'))], addresses),
      ),
    );
    expect(new BlockList().check('', 'ipv4')).toBe(false);
  });
});
