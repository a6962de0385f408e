import { expect, it } from 'vitest';
import { type ClientAddressOptions, createClientAddress } from '../../src/adapters/client-address.ts';
import { addressOf } from '../../src/identity/address-ranges.ts';

const proxies = ['10.0.0.0/8', '2001:db8:ffff::/48'];

/** A small generator of numbers, so that a million cases are cheap and the same each time. */
function createDice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % sides;
  };
}

const finder = (options: ClientAddressOptions = {}) => createClientAddress({ warn: () => {}, ...options });

it('a million sets of headers never make the client address fail', () => {
  const dice = createDice(0x9e3779b9);
  const pieces = [
    '10.0.0.1',
    '203.0.113.7',
    '::1',
    '[2001:db8::1]',
    ':80',
    ':_p',
    'for=',
    'For="',
    '"',
    '\\',
    ',',
    ';',
    '=',
    ' ',
    '\t',
    'unknown',
    '_x',
    '%',
    '\u0000',
    'é',
    '999.1.1.1',
    '::ffff:10.1.1.1',
    '[',
    ']',
    '',
  ];
  const text = () => {
    let made = '';
    for (let left = dice(9); left > 0; left -= 1) made += pieces[dice(pieces.length)] ?? '';
    return made;
  };
  const peers = ['10.0.0.1', '203.0.113.7', '::ffff:10.2.2.2', undefined, '', 'nonsense'];
  const finders = [
    finder({ trustedProxies: [...proxies, 'unix'] }),
    finder({ trustedProxies: [...proxies, 'unix'], forwardingHeader: 'forwarded' }),
    finder(),
  ];
  const seen = new Set<string>();
  for (let i = 0; i < 1_000_000; i += 1) {
    const headers = { xff: text(), forwarded: text() };
    const address =
      finders[i % 3]?.(peers[dice(peers.length)], (name) =>
        name === 'forwarded' ? headers.forwarded : headers.xff,
      ) ?? '';
    if (!seen.has(address)) expect(addressOf(address)).toBe(address);
    seen.add(address);
  }
  expect(seen.size).toBeGreaterThan(5);
});
