import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressOf, CidrSet } from './cidr-set.ts';

const has = (cidrs: readonly string[], ip: string) => new CidrSet('test', cidrs).has(addressOf(ip) ?? '');

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
    expect(new CidrSet('test', ['10.0.0.0/8']).hasPeer(peer)).toBe(expected);
  });

  it('hold nothing when there are none', () => {
    expect(new CidrSet('test', []).isEmpty).toBe(true);
    expect(has([], '10.0.0.1')).toBe(false);
  });

  it('tell which of them hold everybody', () => {
    expect(new CidrSet('test', ['0.0.0.0/0', '10.0.0.0/8', '::/0']).universal).toEqual(['0.0.0.0/0', '::/0']);
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
    expect(() => new CidrSet('allow.cidrs', [cidr])).toThrow('allow.cidrs[0] must be an address or a CIDR');
  });
});
