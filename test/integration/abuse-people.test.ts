import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../src/core/duration.ts';
import { agents, headerOrders, judge, merged, randomOf, start, type Timed } from './abuse-traffic.ts';

/**
 * People as the documents promise that they do not trip: they read pages of a few seconds each, open some of them at once,
 * come back to what they have seen, meet dead links, correct forms, and scroll. Each page brings its files and what it
 * fetches.
 */
function person(seed: number, minutes: number): Timed[] {
  const random = randomOf(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const ip = `198.51.${Math.floor(random() * 4)}.${Math.floor(random() * 250)}`;
  const ua = pick([agents.chrome, agents.firefox, agents.safari]);
  const user = random() < 0.3 ? `u${seed}` : null;
  const traffic: Timed[] = [];
  let at = start + Math.floor(random() * MINUTE_MS);
  const end = at + minutes * MINUTE_MS;
  const ask = (afterMs: number, method: string, path: string, status: number) => {
    at += afterMs;
    traffic.push([at, { method, path, status, ip, ua, user, headerNames: headerOrders.chrome }]);
  };
  const open = (path: string, status = 200) => {
    ask(0, 'GET', path, status);
    for (let file = 0; file < 5; file += 1) ask(20, 'GET', `/assets/${file}.js`, 200);
    for (const call of ['/api/me', '/api/notices', `/api/related?to=${path}`]) ask(30, 'GET', call, 200);
  };
  while (at < end) {
    const mood = random();
    if (mood < 0.02) open(`/gone/${Math.floor(random() * 1_000)}`, 404);
    else if (mood < 0.05)
      for (let tab = 0; tab < 12; tab += 1) open(`/articles/${Math.floor(3_000 ** random())}`);
    else if (mood < 0.1) for (let key = 0; key < 15; key += 1) ask(300, 'POST', '/api/check', 422);
    else if (mood < 0.15) ask(500, 'POST', '/api/comments', random() < 0.8 ? 201 : 409);
    else if (mood < 0.3) ask(2_500, 'GET', `/api/feed?cursor=${seed}-${traffic.length}`, 200);
    else open(`/articles/${Math.floor(3_000 ** random())}`);
    at += 2 * SECOND_MS + Math.floor(random() * 20 * SECOND_MS);
  }
  return traffic;
}

describe('people', () => {
  it('do not trip a built-in scenario, each on their own', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (seed) => {
        expect(judge(person(seed, 30)).told).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  it('do not trip one in a crowd, many of them behind the same addresses', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (seed) => {
        const crowd = Array.from({ length: 25 }, (_, index) => person(seed + index, 10));
        const office = Array.from({ length: 15 }, (_, index) =>
          person(seed - index - 1, 10).map(([at, event]): Timed => [at, { ...event, ip: '203.0.113.80' }]),
        );
        expect(judge(merged(...crowd, ...office)).told).toEqual([]);
      }),
      { numRuns: 4 },
    );
  });

  const watching = (perSecond: number, pathOf: (index: number) => string) =>
    Array.from({ length: 600 * perSecond }, (_, index): Timed => {
      const at = start + Math.floor((index * SECOND_MS) / perSecond);
      const path = pathOf(index);
      const { chrome: headerNames } = headerOrders;
      return [at, { method: 'GET', path, status: 200, ip: '198.51.100.7', ua: agents.chrome, headerNames }];
    });

  it.each([
    ['move over a map', (index: number) => `/tiles/14/${8_000 + index}/5300.pbf`],
    ['move over a map of another make', (index: number) => `/tiles/14/${8_000 + index}/5300.mvt?key=k`],
    ['watch something live', (index: number) => `/live/part-${index}.m4s`],
    ['watch it with an older player', (index: number) => `/live/segment-${index}.ts`],
    ['ask for what is on next', (index: number) => `/live/index.m3u8?_HLS_msn=${index}`],
  ])('who %s do not trip one', (_, pathOf) => {
    expect(judge(watching(4, pathOf)).told).toEqual([]);
  });
});
