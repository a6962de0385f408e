import { describe, expect, it } from 'vitest';
import { peerOf } from '../connections/peer.ts';
import { AddressRanges } from '../identity/address-ranges.ts';
import { createClientIp } from './client-ip.ts';

describe('the address of a client of the proxy', () => {
  const clientIp = createClientIp({
    trustedProxies: { hasPeer: () => false, hasUnix: true },
    onUntrusted: () => {},
  });
  const headers = { 'x-forwarded-for': '203.0.113.7' };

  it('is what a trusted proxy on a Unix socket says', () => {
    expect(clientIp(peerOf({ destroyed: false }), headers)).toBe('203.0.113.7');
  });

  it('is not what somebody says whose connection is gone', () => {
    expect(clientIp(peerOf({ destroyed: true }), headers)).toBe('0.0.0.0');
  });

  const ours = AddressRanges.of('test', ['10.0.0.0/8']);

  it.each(['10.0.0.5', '::ffff:10.0.0.5'])('is what a trusted proxy at %s says', (peer) => {
    expect(createClientIp({ trustedProxies: ours, onUntrusted: () => {} })(peer, headers)).toBe(
      '203.0.113.7',
    );
  });

  it.each(['2002:a00:5::1', '64:ff9b::10.0.0.5'])(
    'is not what %s says, which a stranger on the link may take',
    (peer) => {
      const nearest = createClientIp({
        trustedProxies: ours,
        forwardedFor: 'nearest',
        onUntrusted: () => {},
      });
      expect(nearest(peer, headers)).toBe('10.0.0.5');
      expect(nearest('10.0.0.1', { 'x-forwarded-for': `203.0.113.7, [${peer}]:443` })).toBe('10.0.0.5');
    },
  );
});
