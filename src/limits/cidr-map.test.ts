import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CidrMap } from './cidr-map.ts';
import { addressOf, CidrSet } from './cidr-set.ts';

const mapOf = (cidrs: readonly string[]) => {
  const map = new CidrMap<number>();
  for (const [index, cidr] of cidrs.entries()) map.add('test', cidr, index);
  return map;
};

describe('values by ranges', () => {
  it.each([
    [['10.0.0.0/8', '10.1.0.0/16'], '10.1.2.3', 0],
    [['10.1.0.0/16', '10.0.0.0/8'], '10.1.2.3', 0],
    [['10.1.0.0/16', '10.0.0.0/8'], '10.2.2.3', 1],
    [['10.1.2.3', '10.1.2.3/32'], '::ffff:10.1.2.3', 0],
    [['10.0.0.0/8'], '11.0.0.0', undefined],
    [['2001:db8::/32', '2001:db8:1::/48'], '2001:db8:1::1', 0],
    [['2001:db8::1'], '2001:db8::1', 0],
    [['0.0.0.0/0'], '2001:db8::1', undefined],
    [['::/0'], '192.0.2.1', 0],
  ])('of %j for %s: %s', (cidrs, ip, expected) => {
    expect(mapOf(cidrs).find(addressOf(ip) ?? '')).toBe(expected);
  });

  it('are those of the first set that has the address', () => {
    // Few different bits, so that ranges hold one another and addresses are in some.
    const quad = fc.tuple(fc.constantFrom(10, 11, 192), fc.nat(3), fc.nat(1), fc.nat(255));
    const groups = fc.tuple(
      fc.constantFrom('2001', '0', 'ffff'),
      fc.constantFrom('db8', '0', 'ffff'),
      fc.nat(3),
    );
    const address = fc.oneof(
      quad.map((octets) => octets.join('.')),
      groups.map(([first, second, last]) => `${first}:${second}::${last}`),
      quad.map((octets) => `::ffff:${octets.join('.')}`),
    );
    const cidr = fc.oneof(
      fc.tuple(quad, fc.nat(32)).map(([octets, prefix]) => `${octets.join('.')}/${prefix}`),
      fc
        .tuple(fc.constantFrom('2001:db8::', '::', '::1', 'ffff::'), fc.nat(128))
        .map(([start, prefix]) => `${start}/${prefix}`),
    );
    fc.assert(
      fc.property(fc.array(cidr, { maxLength: 12 }), address, (cidrs, ip) => {
        const text = addressOf(ip) ?? expect.unreachable('an address');
        const first = cidrs.findIndex((one) => new CidrSet('test', [one]).has(text));
        expect(mapOf(cidrs).find(text)).toBe(first < 0 ? undefined : first);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are found among as many ranges as there may be', () => {
    const map = mapOf(Array.from({ length: 10_000 }, (_, index) => `10.${index >> 8}.${index & 255}.0/24`));
    for (let call = 0; call < 20_000; call += 1) {
      expect(map.find('203.0.113.7')).toBe(undefined);
      expect(map.find('10.39.15.7')).toBe(9_999);
    }
  });

  it('need ranges', () => {
    expect(() => new CidrMap().add('overrides[3].cidr', '10.0.0.0/33', 1)).toThrow(
      'overrides[3].cidr must be an address or a CIDR',
    );
  });
});
