import { existsSync, readFileSync } from 'node:fs';
import { isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { parseAddress } from './address.ts';

const invalid = expect.objectContaining({ code: 'INPUT_INVALID' });

describe('an IPv4 address', () => {
  test('is itself, its own network and has no macro prefixes', () => {
    expect(parseAddress('203.0.113.7')).toEqual({
      text: '203.0.113.7',
      network: '203.0.113.7/32',
      macros: null,
    });
  });

  test.each(['0.0.0.0', '255.255.255.255', '1.2.3.4', '10.0.200.99'])('%s is accepted', (text) => {
    expect(parseAddress(text).text).toBe(text);
  });

  test.each([
    '01.2.3.4',
    '1.2.3.04',
    '00.0.0.0',
    '0x7f.0.0.1',
    '127.1',
    '2130706433',
    '0177.0.0.1',
    '1.2.3',
    '1.2.3.',
    '.1.2.3.4',
    '1..3.4',
    '1.2.3.4.5',
    '1.2.3.256',
    '1.2.3.999',
    '1.2.3.4 ',
    ' 1.2.3.4',
    '1.2.3.4\n',
    '1.2.3.4:80',
    '1.2.3.4/32',
    '1.2.3.4%eth0',
    '１.2.3.4',
    '-1.2.3.4',
    '+1.2.3.4',
    '1.2.3.1e1',
  ])('%j is refused', (text) => {
    expect(() => parseAddress(text)).toThrow(invalid);
  });
});

describe('an IPv6 address', () => {
  test('is written as RFC 5952 says, with its prefixes', () => {
    expect(parseAddress('2001:0DB8:AbCd:0012:0:0:FFFF:1')).toEqual({
      text: '2001:db8:abcd:12::ffff:1',
      network: '2001:db8:abcd:12::/64',
      macros: { p48: '2001:db8:abcd::/48', p40: '2001:db8:ab00::/40', p32: '2001:db8::/32' },
    });
  });

  test.each([
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
    ['::', '::'],
    ['1::', '1::'],
    ['::1', '::1'],
    ['::1.2.3.4', '::102:304'],
    ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:102:304'],
    ['2001:0:1:2:3:4:5:6', '2001:0:1:2:3:4:5:6'],
  ])('%s is %s', (text, canonical) => {
    expect(parseAddress(text).text).toBe(canonical);
  });

  test.each([
    'fe80::1%eth0',
    'fe80::1%1',
    'fe80::1%en-0.1',
    'fe80::1%eth0:1',
    'fe80::1%eth0@if2',
    'fe80::1%br+lan',
    'fe80::1%é',
  ])('%s loses its zone', (text) => {
    expect(parseAddress(text)).toEqual(parseAddress('fe80::1'));
  });

  test.each([
    '',
    ':',
    ':::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '::1:2:3:4:5:6:7:8',
    '1::2::3',
    '12345::',
    '00001::',
    'g::1',
    '[::1]',
    '[::1]:80',
    '::1/64',
    ' ::1',
    '::1 ',
    '::1\0',
    'fe80::1%',
    'fe80::1%a%b',
    'fe80::1%a b',
    '%eth0',
    '::01.2.3.4',
    '::1.2.3',
    '1.2.3.4::',
    '::1.2.3.4:5',
    '1:2:3:4:5:6:7:1.2.3.4',
    '1:2:3:4:5:6::1.2.3.4',
  ])('%j is refused', (text) => {
    expect(() => parseAddress(text)).toThrow(invalid);
  });
});

test.each([
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1%eth0', '192.0.2.1'],
  ['64:ff9b::192.0.2.1', '192.0.2.1'],
  ['64:ff9b::c000:201', '192.0.2.1'],
  ['2002:c000:201::', '192.0.2.1'],
  ['2002:c000:201:5:6:7:8:9', '192.0.2.1'],
])('%s counts as the IPv4 address %s', (text, quad) => {
  expect(parseAddress(text)).toEqual(parseAddress(quad));
});

test.each([
  '64:ff9b:1::c000:201',
  '64:ff9b::1:c000:201',
  '::fffe:c000:201',
  '::ffff:0:c000:201',
  '1::ffff:c000:201',
])('%s only looks as if it carried an IPv4 address', (text) => {
  expect(parseAddress(text).macros).not.toBeNull();
});

test('a fault says what was wrong without the value', () => {
  expect(() => parseAddress('198.51.100.300')).toThrow(
    'ip must be the text of an IPv4 or IPv6 address, got a string of 14 characters.',
  );
});

test('every IPv6 address in any spelling has the text and prefixes that ipaddr.js gives it', () => {
  const groups = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), {
    minLength: 8,
    maxLength: 8,
  });
  fc.assert(
    fc.property(groups, fc.boolean(), fc.integer({ min: 1, max: 4 }), (parts, upper, width) => {
      const text = parts.map((part) => part.toString(16).padStart(width, '0')).join(':');
      const spelled = upper ? text.toUpperCase() : text;
      const reference = ipaddr.IPv6.parse(spelled);
      const address = parseAddress(spelled);
      expect(parseAddress(address.text)).toEqual(address);
      if (address.macros === null) {
        expect(['ipv4Mapped', 'rfc6052', '6to4']).toContain(reference.range());
        return;
      }
      expect(address.text).toBe(reference.toRFC5952String());
      for (const [prefix, length] of [
        [address.network, 64],
        [address.macros.p48, 48],
        [address.macros.p40, 40],
        [address.macros.p32, 32],
      ] as const) {
        const network = ipaddr.IPv6.networkAddressFromCIDR(`${reference.toNormalizedString()}/${length}`);
        expect(prefix).toBe(`${network.toRFC5952String()}/${length}`);
      }
    }),
    { numRuns: 500 },
  );
});

test('whatever Node takes for an address is one, and nothing else', () => {
  const piece = fc.constantFrom(
    '0',
    '1',
    'ffff',
    '2001',
    ':',
    '::',
    '.',
    '1.2.3.4',
    '255',
    '256',
    '01',
    '%',
    '%e',
    'g',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 17 }), (pieces) => {
      const text = pieces.join('');
      if (isIPv4(text) || isIPv6(text)) expect(parseAddress(text).text).not.toBe('');
      else expect(() => parseAddress(text)).toThrow(invalid);
    }),
    { numRuns: 20_000 },
  );
});

const vectors = new URL('../../../shared/data/ip-addresses.json', import.meta.url);

describe.runIf(existsSync(vectors))('published vectors', () => {
  const data = existsSync(vectors) ? JSON.parse(readFileSync(vectors, 'utf8')) : {};

  test('that are valid IPv6 are read, grouped and written as published', () => {
    for (const { input, rfc5952, ipv4_mapped, p64, p48, p40, p32 } of data.valid) {
      const address = parseAddress(input);
      if (ipv4_mapped !== null) {
        expect(address).toEqual(parseAddress(ipv4_mapped));
        continue;
      }
      // The reference takes a prefix whose address fits into 32 bits for IPv4; the /32 of those is `::/32`.
      const macro = p32.includes(':') ? p32 : '::/32';
      expect(address).toEqual({ text: rfc5952, network: p64, macros: { p48, p40, p32: macro } });
    }
  });

  test('that are no IPv6 address are refused', () => {
    for (const text of [...data.invalid, ...data.invalid_v4]) {
      // The list is of what is no IPv6 address: a plain dotted quad is in it.
      if (isIPv4(text)) continue;
      expect(() => parseAddress(text), text).toThrow(invalid);
    }
  });

  test('IPv4, of which a text with a prefix length is none', () => {
    for (const text of data.valid_v4) {
      if (text.includes('/')) expect(() => parseAddress(text)).toThrow(invalid);
      else expect(parseAddress(text).text).toBe(text);
    }
  });

  test('one identity in two spellings', () => {
    for (const { input, must_equal_k1_of: twin, rfc5952 } of data.mapped) {
      if (twin !== undefined) expect(parseAddress(input).network).toBe(parseAddress(twin).network);
      if (rfc5952 !== undefined) expect(parseAddress(input).text).toBe(rfc5952);
    }
  });
});
