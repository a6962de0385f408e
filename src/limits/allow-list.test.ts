import { describe, expect, it } from 'vitest';
import { AllowList } from './allow-list.ts';

const callFrom = (ip: string) => ({ method: 'GET', path: '/', ip });

describe('an allowlist of addresses', () => {
  const list = new AllowList({ cidrs: ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32'] });

  it.each(['127.0.0.1', '10.255.0.1', '::ffff:10.0.0.1', '2001:db8::1'])('opens for %s', (ip) => {
    expect(list.find(callFrom(ip))).toBe('cidr');
  });

  it.each([
    '11.0.0.1',
    '2001:db9::1',
    '2002:7f00:1::1',
    '2002:a00:1::1',
    '64:ff9b::7f00:1',
    '64:ff9b::10.0.0.1',
    'no address',
  ])('stays shut for %s', (ip) => {
    expect(list.find(callFrom(ip))).toBe(null);
  });
});
