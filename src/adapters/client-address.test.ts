import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { peerOf } from '../connections/peer.ts';
import type { Warning } from '../limits/warning.ts';
import { type ClientAddressOptions, createClientAddress } from './client-address.ts';

type Headers = Readonly<Record<string, string | undefined>>;

function bench(options: ClientAddressOptions = {}) {
  const warnings: Warning[] = [];
  const find = createClientAddress({ warn: (warning) => warnings.push(warning), ...options });
  return {
    find: (peer: string | undefined, headers: Headers = {}) => find(peer, (name) => headers[name]),
    codes: () => warnings.map(({ code }) => code),
    words: () => warnings.map(({ message }) => message).join('\n'),
  };
}

const proxies = ['10.0.0.0/8', '2001:db8:ffff::/48'];

describe('the client is', () => {
  it.each([
    ['the peer, where nobody is trusted', [], '203.0.113.7', { 'x-forwarded-for': '6.6.6.6' }, '203.0.113.7'],
    [
      'the peer, where it is not a proxy',
      proxies,
      '203.0.113.7',
      { 'x-forwarded-for': '6.6.6.6' },
      '203.0.113.7',
    ],
    ['the IPv4 address inside', [], '::ffff:203.0.113.7', {}, '203.0.113.7'],
    [
      'a hop whose address only stands for one of ours',
      ['10.0.0.0/8'],
      '10.0.0.1',
      { 'x-forwarded-for': '6.6.6.6, 2002:0a00:0005::1' },
      '10.0.0.5',
    ],
    [
      'the nearest that is none of ours, with ports and in brackets',
      ['10.0.0.0/8'],
      '10.0.0.1',
      { 'x-forwarded-for': '6.6.6.6, [::ffff:10.0.0.9]:443, 10.0.0.5:8080' },
      '6.6.6.6',
    ],
    ['without its zone', [], 'fe80::1%eth0', {}, 'fe80::1'],
    ['what the proxy says', proxies, '10.0.0.1', { 'x-forwarded-for': '203.0.113.7' }, '203.0.113.7'],
    [
      'what a proxy on a mapped address says',
      proxies,
      '::ffff:10.0.0.1',
      { 'x-forwarded-for': '203.0.113.7' },
      '203.0.113.7',
    ],
    [
      'the rightmost stranger',
      proxies,
      '10.0.0.1',
      { 'x-forwarded-for': '6.6.6.6, 203.0.113.7, 10.2.2.2' },
      '203.0.113.7',
    ],
    ['the last proxy, where it names nobody', proxies, '10.0.0.1', {}, '10.0.0.1'],
    [
      'the last proxy, where it says nonsense',
      proxies,
      '10.0.0.1',
      { 'x-forwarded-for': '1.2.3.4, nonsense' },
      '10.0.0.1',
    ],
    [
      'the last proxy before the nonsense',
      proxies,
      '10.0.0.1',
      { 'x-forwarded-for': 'nonsense, 10.9.9.9' },
      '10.9.9.9',
    ],
    [
      'the farthest, where all are proxies',
      proxies,
      '10.0.0.1',
      { 'x-forwarded-for': '10.1.1.1,10.2.2.2' },
      '10.1.1.1',
    ],
    ['told with a port', proxies, '10.0.0.1', { 'x-forwarded-for': '203.0.113.7:4711' }, '203.0.113.7'],
    ['told in brackets', proxies, '10.0.0.1', { 'x-forwarded-for': '[2001:db8::1]:80' }, '2001:db8::1'],
    [
      'an IPv6 address without brackets',
      proxies,
      '10.0.0.1',
      { 'x-forwarded-for': '2001:db8::1' },
      '2001:db8::1',
    ],
    ['not what the other header says', proxies, '10.0.0.1', { forwarded: 'for=6.6.6.6' }, '10.0.0.1'],
  ])('%s', (_, trustedProxies, peer, headers, expected) => {
    expect(bench({ trustedProxies }).find(peer, headers)).toBe(expected);
  });

  it.each([
    ['for=203.0.113.7', '203.0.113.7'],
    ['For="[2001:db8:cafe::17]:4711"', '2001:db8:cafe::17'],
    ['for=203.0.113.7;proto=http;by=10.0.0.1', '203.0.113.7'],
    ['proto=https; by=10.0.0.1; for="203.0.113.7:80"', '203.0.113.7'],
    ['for=6.6.6.6, for=203.0.113.7', '203.0.113.7'],
    ['for=203.0.113.7, for="[2001:db8:ffff::1]"', '203.0.113.7'],
    ['for=203.0.113.7:_hidden', '10.0.0.1'],
    ['for="203.0.113.7:_hidden"', '203.0.113.7'],
    ['for=unknown', '10.0.0.1'],
    ['for="_gazonk"', '10.0.0.1'],
    ['for=6.6.6.6, for=unknown, for=10.7.7.7', '10.7.7.7'],
    ['proto=http', '10.0.0.1'],
    ['for="a,b;c=\\"d\\"", for=203.0.113.7', '203.0.113.7'],
    ['for=", for=203.0.113.7', '203.0.113.7'],
    ['x, for=203.0.113.7', '203.0.113.7'],
    ['for="\\, for="203.0.113.7:80";host="a, b\\\\"', '203.0.113.7'],
    ['for=6.6.6.6, for=203.0.113.7", for=10.7.7.7', '10.7.7.7'],
    ['for=203.0.113.7"', '10.0.0.1'],
    ['for=203.0.113.7;host="a, for=6.6.6.6"', '203.0.113.7'],
    ['for=203.0.113.7;for=6.6.6.6', '10.0.0.1'],
    ['for=[2001:db8::1]', '10.0.0.1'],
    ['for = 203.0.113.7', '10.0.0.1'],
    ['', '10.0.0.1'],
  ])('in Forwarded: %s', (forwarded, expected) => {
    const { find } = bench({ trustedProxies: proxies, forwardingHeader: 'forwarded' });
    expect(find('10.0.0.1', { forwarded, 'x-forwarded-for': '6.6.6.6' })).toBe(expected);
  });

  it('behind a Unix socket what the proxy says, where that is trusted', () => {
    expect(bench({ trustedProxies: ['unix'] }).find(undefined, { 'x-forwarded-for': '203.0.113.7' })).toBe(
      '203.0.113.7',
    );
    const stranger = bench();
    expect(stranger.find(undefined, { 'x-forwarded-for': '203.0.113.7' })).toBe('0.0.0.0');
    expect(stranger.codes()).toContain('PORTCULLIS_PEER_UNKNOWN');
    // Who trusts Unix sockets because a runtime keeps the address elsewhere lets everybody write one.
    expect(stranger.words()).toMatch(/the option peer gives it.*"unix" .* every client can write its own/);
  });

  it('of a connection that is gone nothing, whatever it said and whoever is trusted', () => {
    const { find, codes } = bench({ trustedProxies: ['unix', '10.0.0.0/8'] });
    const peer = peerOf({ remoteAddress: undefined, destroyed: true });
    expect(find(peer, { 'x-forwarded-for': '203.0.113.7' })).toBe('0.0.0.0');
    expect(codes()).toEqual([]);
  });
});

describe('an address that is kept', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const heapMb = () => {
    collect();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };

  it.each([
    ['x-forwarded-for', (ip: string) => `${'z'.repeat(65_536)}, ${ip}`],
    ['x-forwarded-for', (ip: string) => `${'z'.repeat(65_536)}, ${ip}:4711`],
    ['forwarded', (ip: string) => `for=${'z'.repeat(65_536)}, for=${ip}`],
    ['forwarded', (ip: string) => `for=${'z'.repeat(65_536)}, for="${ip}:4711"`],
  ] as const)('does not keep the header that it came in: %s', (forwardingHeader, headerWith) => {
    const { find } = bench({ trustedProxies: proxies, forwardingHeader });
    const before = heapMb();
    const kept: string[] = [];
    for (let index = 0; index < 800; index += 1) {
      const header = Buffer.from(headerWith(`203.113.${100 + (index >> 7)}.${100 + (index & 127)}`));
      kept.push(find('10.0.0.1', { [forwardingHeader]: header.toString('latin1') }));
    }
    // With their headers they would be 50 MB.
    expect(heapMb() - before).toBeLessThan(20);
    expect(new Set(kept).size).toBe(800);
  });
});

describe('warnings', () => {
  it('say once that a proxy may be in front', () => {
    const { find, codes } = bench();
    for (let i = 0; i < 5; i += 1) find('203.0.113.7', { 'x-forwarded-for': '6.6.6.6' });
    find('203.0.113.7', { forwarded: 'for=6.6.6.6' });
    expect(codes()).toEqual(['PORTCULLIS_PROXY_UNTRUSTED']);
  });

  it('are not given for a stranger that sends the header where proxies are known', () => {
    const { find, codes } = bench({ trustedProxies: proxies });
    find('203.0.113.7', { 'x-forwarded-for': '6.6.6.6' });
    expect(codes()).toEqual([]);
  });

  it.each([[['0.0.0.0/0']], [['::/0']], [['10.0.0.0/8', '::/0']]])(
    'say at the start that everybody is trusted: %j',
    (trustedProxies) => {
      expect(bench({ trustedProxies }).codes()).toEqual(['PORTCULLIS_TRUSTS_EVERYBODY']);
    },
  );

  it('are no substitute for a check', () => {
    expect(() => bench({ trustedProxies: ['true'] })).toThrow(
      'trustedProxies[0] must be an address or a CIDR',
    );
    expect(() => bench({ forwardingHeader: 'x-real-ip' as 'forwarded' })).toThrow('forwardingHeader must be');
  });
});

describe('a spoofed header', () => {
  const anyNode = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.ipV6().map((ip) => `"[${ip}]:80"`),
    fc.constantFrom('unknown', '_x', '', ' ', '10.0.0.1', ',', '"', '\\', ';', 'for='),
    fc.string(),
  );
  const anyHeader = fc.array(anyNode, { maxLength: 6 }).map((nodes) => nodes.join(', '));

  it('from somebody who is not a proxy never changes the address', () => {
    const { find } = bench({ trustedProxies: proxies });
    fc.assert(
      fc.property(anyHeader, anyHeader, (xff, forwarded) => {
        expect(find('203.0.113.7', { 'x-forwarded-for': xff, forwarded })).toBe('203.0.113.7');
      }),
    );
  });

  it('before a proxy never changes what the proxy has added', () => {
    const { find } = bench({ trustedProxies: proxies });
    fc.assert(
      fc.property(anyHeader, (xff) => {
        expect(find('10.0.0.1', { 'x-forwarded-for': `${xff}, 203.0.113.7` })).toBe('203.0.113.7');
      }),
    );
  });

  it.each(['for=203.0.113.7', 'for="203.0.113.7:4711";host="a, b"', 'proto=http;for="203.0.113.7"'])(
    'before a proxy never changes what the proxy has added to Forwarded: %s',
    (added) => {
      const { find } = bench({ trustedProxies: proxies, forwardingHeader: 'forwarded' });
      fc.assert(
        fc.property(anyHeader, (spoofed) => {
          expect(find('10.0.0.1', { forwarded: `${spoofed}, ${added}` })).toBe('203.0.113.7');
        }),
      );
    },
  );
});
