import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../identity/address.ts';
import { AddressRanges } from '../../identity/address-ranges.ts';
import { nobodysAddresses } from './nobodys-addresses.ts';

const run = (...bytes: number[]) => Uint8Array.from({ length: 8 }, (_, index) => bytes[index] ?? 0);
const given = ['203.0.0.1', '203.0.3.231', '192.0.2.7', '2001:db8:1:0::1', '2001:db8:1:ffff::1'];

describe('addresses of a live drill', () => {
  it.each([[run()], [run(1, 2, 3, 4, 5, 6, 7, 8)], [run(255, 255, 255, 255, 255, 255, 255, 255)]])(
    'belong to nobody: %j',
    (drawn) => {
      const nobodys = AddressRanges.of('nobodys', ['198.18.0.0/15', '3fff::/20']);
      for (let place = 0; place < 7; place += 1) {
        const moved = given.map(nobodysAddresses(drawn, place));
        expect(moved.filter((ip) => !nobodys.hasPeer(ip))).toEqual([]);
        expect(new Set(moved.map((ip) => parseAddress(ip).network)).size).toBe(given.length);
      }
    },
  );

  it('are others in the next run, and in another attack', () => {
    const first = given.map(nobodysAddresses(run(0, 0, 1, 2, 3, 4, 5, 6), 0));
    const next = given.map(nobodysAddresses(run(0, 0, 7, 8, 9, 10, 11, 12), 0));
    expect(first.filter((ip) => next.includes(ip))).toEqual([]);
    const other = given.slice(0, 3).map(nobodysAddresses(run(0, 0, 1, 2, 3, 4, 5, 6), 1));
    expect(first.filter((ip) => other.includes(ip))).toEqual([]);
  });

  it('leave their /32 with the next run', () => {
    const macro = (drawn: Uint8Array) =>
      parseAddress(nobodysAddresses(drawn, 3)('2001:db8:1:5::1')).macros?.p32;
    expect(macro(run(0, 0, 0, 0, 1, 2))).not.toBe(macro(run(0, 0, 0, 0, 1, 3)));
  });
});
