import { describe, expect, it } from 'vitest';
import { peerOf } from '../connections/peer.ts';
import { createClientIp } from './client-ip.ts';

describe('the address of a client of the proxy', () => {
  const clientIp = createClientIp({
    trustedProxies: { has: () => false, hasUnix: true },
    onUntrusted: () => {},
  });
  const headers = { 'x-forwarded-for': '203.0.113.7' };

  it('is what a trusted proxy on a Unix socket says', () => {
    expect(clientIp(peerOf({ destroyed: false }), headers)).toBe('203.0.113.7');
  });

  it('is not what somebody says whose connection is gone', () => {
    expect(clientIp(peerOf({ destroyed: true }), headers)).toBe('0.0.0.0');
  });
});
