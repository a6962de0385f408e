import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddressRanges, addressOf } from './address-ranges.ts';

const has = (cidrs: readonly string[], ip: string) => AddressRanges.of('test', cidrs).has(canonical(ip));
const canonical = (ip: string) => addressOf(ip) ?? expect.unreachable('an address');

const numbered = (cidrs: readonly string[]) => {
  const ranges = new AddressRanges<number>();
  for (const [index, cidr] of cidrs.entries()) ranges.add('test', cidr, index);
  return ranges;
};

describe('ranges of addresses', () => {
  it.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['10.0.0.0/8', '64:ff9b::10.1.2.3', true],
    ['203.0.113.7', '203.0.113.7', true],
    ['203.0.113.7', '203.0.113.8', false],
    ['2001:db8::/32', '2001:DB8:0:0::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::/32', '10.0.0.1', false],
    ['::1', '::1', true],
    ['0.0.0.0/0', '1.2.3.4', true],
    ['0.0.0.0/0', '2001:db8::1', false],
  ])('%s and %s: %s', (cidr, ip, expected) => {
    expect(has([cidr], ip)).toBe(expected);
  });

  it('agree with arithmetic', () => {
    const anyQuad = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    const textOf = (quad: number) => [24, 16, 8, 0].map((shift) => (quad >>> shift) & 255).join('.');
    fc.assert(
      fc.property(anyQuad, fc.integer({ min: 0, max: 32 }), anyQuad, (net, length, quad) => {
        const size = 2 ** (32 - length);
        const inside = Math.floor(net / size) === Math.floor(quad / size);
        expect(has([`${textOf(net)}/${length}`], textOf(quad))).toBe(inside);
      }),
    );
  });

  it.each([
    ['10.0.0.1', true],
    ['::ffff:10.0.0.1', true],
    ['::ffff:a00:1', true],
    ['2002:a00:1::9', false],
    ['64:ff9b::10.0.0.1', false],
    ['nobody', false],
  ])('know a peer by the address it was spoken to: %s %s', (peer, expected) => {
    expect(AddressRanges.of('test', ['10.0.0.0/8']).hasPeer(peer)).toBe(expected);
  });

  it('hold nothing when there are none', () => {
    expect(AddressRanges.of('test', []).isEmpty).toBe(true);
    expect(AddressRanges.of('test', ['10.0.0.0/8']).isEmpty).toBe(false);
    expect(has([], '10.0.0.1')).toBe(false);
  });

  it('tell which of them hold everybody', () => {
    const halves = ['0.0.0.0/1', '128.0.0.0/1', '2000::/3'];
    expect(AddressRanges.of('test', ['10.0.0.0/8', 'fc00::/7', ...halves]).universal).toEqual(halves);
    expect(AddressRanges.of('test', ['0.0.0.0/0', '10.0.0.0/8', '::/0']).universal).toEqual([
      '0.0.0.0/0',
      '::/0',
    ]);
  });

  it.each([
    '',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '::/129',
    'localhost',
    '::ffff:10.0.0.0/104',
    '1.2.3.4/-1',
  ])('are checked when they are given: "%s"', (cidr) => {
    expect(() => AddressRanges.of('allow.cidrs', [cidr])).toThrow(
      'allow.cidrs[0] must be an address or a CIDR',
    );
    expect(() => new AddressRanges<number>().add('overrides[3].cidr', cidr, 1)).toThrow(
      'overrides[3].cidr must be an address or a CIDR',
    );
  });
});

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
    expect(numbered(cidrs).find(canonical(ip))).toBe(expected);
  });

  it('are those of the first range that has the address, by what Node says', () => {
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
    const range = fc.oneof(
      fc.tuple(
        quad.map((octets) => octets.join('.')),
        fc.nat(32),
      ),
      fc.tuple(fc.constantFrom('2001:db8::', '::', '::1', 'ffff::'), fc.nat(128)),
    );
    fc.assert(
      fc.property(fc.array(range, { maxLength: 12 }), address, (ranges, ip) => {
        const text = canonical(ip);
        const first = ranges.findIndex(([start, prefix]) => {
          const list = new BlockList();
          list.addSubnet(start, prefix, familyOf(start));
          return list.check(text, familyOf(text));
        });
        const cidrs = ranges.map(([start, prefix]) => `${start}/${prefix}`);
        expect(numbered(cidrs).find(text)).toBe(first < 0 ? undefined : first);
        expect(AddressRanges.of('test', cidrs).has(text)).toBe(first >= 0);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are found among as many ranges as there may be', () => {
    const ranges = numbered(
      Array.from({ length: 10_000 }, (_, index) => `10.${index >> 8}.${index & 255}.0/24`),
    );
    for (let call = 0; call < 20_000; call += 1) {
      expect(ranges.find('203.0.113.7')).toBe(undefined);
      expect(ranges.find('10.39.15.7')).toBe(9_999);
    }
  });
});

const familyOf = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4');
