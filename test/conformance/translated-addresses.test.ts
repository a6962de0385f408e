import { expect, it } from 'vitest';
import { limit } from '../../src/adapters/fetch/index.ts';
import { createLimiter } from '../../src/limits/index.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';

/** A limiter that allows a client three calls, and those of an allowlist as many as they like. */
function ask(trustedProxies: readonly string[]) {
  const limiter = createLimiter({
    store: createMemoryStore(),
    secret: 'sixteen bytes or more',
    ratePerSecond: 4,
    allow: { cidrs: ['127.0.0.1', '10.0.0.0/8'] },
  });
  const handler = limit<string>(limiter, { peer: (_, peer) => peer, trustedProxies })(
    () => new Response('ok'),
  );
  return async (peer: string, forwarded?: string) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    const statuses: number[] = [];
    for (let call = 0; call < 5; call += 1) {
      statuses.push((await handler(new Request('http://app.test/', { headers }), peer)).status);
    }
    return statuses;
  };
}

const open = [200, 200, 200, 200, 200];
const limited = [200, 200, 200, 429, 429];

it.each([
  ['127.0.0.1', undefined, open],
  ['::ffff:10.0.0.1', undefined, open],
  ['2002:7f00:1::1', undefined, limited],
  ['64:ff9b::a00:1', undefined, limited],
  ['192.0.2.1', '10.0.0.9', open],
  ['192.0.2.1', '64:ff9b::a00:9', limited],
])('an allowlist opens for %s, forwarded for %s: %j', async (peer, forwarded, statuses) => {
  expect(await ask(['192.0.2.1'])(peer, forwarded)).toEqual(statuses);
});

it('an address that is carried by another one is limited together with it', async () => {
  const from = ask([]);
  expect([await from('203.0.113.7'), await from('2002:cb00:7107::1')]).toEqual([
    limited,
    [429, 429, 429, 429, 429],
  ]);
});
