import { describe, expect, it } from 'vitest';
import { peerCheck } from './peer-check.ts';

describe('who may connect to the agent', () => {
  it.each([
    ['127.0.0.1', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['10.1.2.3', true],
    ['::ffff:10.1.2.3', true],
    ['2001:db8::7', true],
    ['192.0.2.1', false],
    ['2001:db9::7', false],
    ['', false],
    [undefined, false],
  ])('%s: %s', (peer, may) => {
    expect(peerCheck(['10.0.0.0/8', '2001:db8::/32', 'unix'])(peer)).toBe(may);
  });

  it('is this machine alone without trusted proxies', () => {
    expect([peerCheck([])('127.0.0.1'), peerCheck([])('10.1.2.3')]).toEqual([true, false]);
  });

  it('names a range that is none', () => {
    expect(() => peerCheck(['10.0.0.0/99'])).toThrow(/trustedProxies/);
  });
});
