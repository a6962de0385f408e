import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { Store } from '../stores/store.ts';
import type { ScenarioFinding } from './events.ts';
import type { RequestEvent } from './request-event.ts';
import { runScenarios } from './run-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { createScenarios } from './scenarios.ts';

const secret = 'sixteen bytes or more';
const start = 1_700_000_000_000;
const minute = 60_000;

/** Small numbers, so that random traffic meets them; every kind of key and condition is there. */
const small: readonly Scenario[] = [
  {
    name: 'paths',
    filter: { status: ['404'] },
    key: 'client',
    distinct: [{ of: 'path', atLeast: 6, windowMs: minute }],
    bucket: { capacity: 6, leakPerMinute: 6 },
    or: [{ key: 'network', bucket: { capacity: 30, leakPerMinute: 30 } }],
  },
  {
    name: 'ids',
    filter: { id: true },
    key: 'client',
    perRoute: true,
    distinct: [{ of: 'id', atLeast: 8, windowMs: minute, share: 0.5 }],
  },
  {
    name: 'writes',
    filter: { methods: ['POST'], status: ['4xx'] },
    key: 'client',
    bucket: { capacity: 5, leakPerMinute: 1 },
    clearedBy: { methods: ['POST'], status: ['2xx'] },
  },
  {
    name: 'same',
    key: 'client',
    distinct: [{ of: 'target', atMost: 2, windowMs: minute }],
    bucket: { capacity: 12, leakPerMinute: 12 },
  },
  { name: 'crowd', key: 'headers', distinct: [{ of: 'client', atLeast: 4, windowMs: minute }] },
  { name: 'watched', key: 'client', bucket: { capacity: 8, leakPerMinute: 8 }, shadow: true },
];

const anyEvent: fc.Arbitrary<RequestEvent & { readonly gapMs: number }> = fc.record({
  gapMs: fc.oneof(
    { weight: 40, arbitrary: fc.integer({ min: 0, max: 700 }) },
    { weight: 1, arbitrary: fc.constantFrom(30_000, 61_000, 700_000) },
  ),
  method: fc.constantFrom('GET', 'POST'),
  path: fc.oneof(
    fc.integer({ min: 0, max: 40 }).map((id) => `/items/${id}`),
    fc.integer({ min: 0, max: 3 }).map((page) => `/list?page=${page}`),
    fc.constantFrom('/', '/a', '/b'),
  ),
  status: fc.constantFrom(200, 404, 422, null),
  ip: fc.constantFrom('192.0.2.1', '192.0.2.1', '192.0.2.2', '2001:db8::1'),
  ua: fc.constantFrom('Chrome/119.0', 'curl/8', null),
  user: fc.constantFrom(null, null, 'u1'),
  headerNames: fc.constantFrom(null, ['Host', 'User-Agent'], ['Host', 'Accept-Language', 'User-Agent']),
});
const anyTraffic = fc.array(anyEvent, { minLength: 60, maxLength: 200, size: 'max' });
const fewer = { numRuns: 40 };

interface Told extends ScenarioFinding {
  readonly at: number;
  readonly subject: string;
}

function judge(traffic: readonly (RequestEvent & { readonly gapMs: number })[]) {
  let now = start;
  const store = createMemoryStore({ clock: () => now });
  const run = runScenarios(store.immediate, { secret, scenarios: small });
  const told: Told[] = [];
  const perEvent: number[] = [];
  for (const event of traffic) {
    now += event.gapMs;
    const findings = run.observe(event, now);
    perEvent.push(findings.length);
    const { ip, ua, user, headerNames } = event;
    for (const finding of findings) {
      const whose = {
        client: user ?? `${ip} ${ua === 'Chrome/119.0'}`,
        network: ip,
        headers: String(headerNames),
      };
      const subject = Reflect.get(whose, finding.key) as string;
      told.push({ ...finding, at: now, subject: `${finding.scenario} ${finding.key} ${subject}` });
    }
  }
  return { told, perEvent, run };
}

/** A store as a plain object, of which something can be left out. */
function methodsOf(store: ReturnType<typeof createMemoryStore>): Store {
  return {
    immediate: store.immediate,
    view: (keys, look) => store.view(keys, look),
    transact: (keys, step) => store.transact(keys, step),
    ping: () => store.ping(),
    held: (prefix) => store.held(prefix),
    close: () => store.close(),
  };
}

describe('whatever comes', () => {
  it('nobody is blocked who was not degraded by the same scenario before, and still is', () => {
    fc.assert(
      fc.property(anyTraffic, (traffic) => {
        const degradedUntil = new Map<string, number>();
        for (const { subject, what, at, until } of judge(traffic).told) {
          if (what === 'degraded') {
            expect(at).toBeGreaterThanOrEqual(degradedUntil.get(subject) ?? 0);
            expect(until).toBe(at + 10 * minute);
            degradedUntil.set(subject, until ?? 0);
          } else {
            expect(at).toBeLessThan(degradedUntil.get(subject) ?? 0);
            degradedUntil.delete(subject);
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it('an event is answered by one response at most', () => {
    fc.assert(
      fc.property(anyTraffic, (traffic) => {
        for (const findings of judge(traffic).perEvent) expect(findings).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('the same events give the same findings and leave the same counts', () => {
    fc.assert(
      fc.property(anyTraffic, (traffic) => {
        const [once, again] = [judge(traffic), judge(traffic)];
        expect(once.told).toEqual(again.told);
        expect(once.run.counts()).toEqual(again.run.counts());
      }),
    );
  });

  it('a shadow leaves everybody in good standing', () => {
    fc.assert(
      fc.property(anyTraffic, (traffic) => {
        let now = start;
        const store = createMemoryStore({ clock: () => now });
        const run = runScenarios(store.immediate, { secret, scenarios: small, shadow: true });
        for (const event of traffic) {
          now += event.gapMs;
          for (const { shadow } of run.observe(event, now)) expect(shadow).toBe(true);
          expect(run.standing(event, now)).toEqual({ refillScale: 1, delayMs: 0, refusedForMs: 0 });
        }
      }),
      fewer,
    );
  });

  it('a block stands for its time, and nothing that comes meanwhile extends it', () => {
    fc.assert(
      fc.property(anyTraffic, (traffic) => {
        let now = start;
        const store = createMemoryStore({ clock: () => now });
        const run = runScenarios(store.immediate, { secret, scenarios: small });
        const ends: number[] = [];
        for (const event of traffic) {
          now += event.gapMs;
          const before = run.standing(event, now).refusedForMs;
          const [finding] = run.observe(event, now);
          const after = run.standing(event, now).refusedForMs;
          if (finding?.what === 'blocked' && !finding.shadow) ends.push(finding.until ?? 0);
          else expect(after).toBe(before);
          if (after > 0) expect(ends).toContain(now + after);
          expect(after).toBeLessThanOrEqual(30 * minute);
        }
      }),
      fewer,
    );
  });

  it.each([
    ['that answers at once', (store: Store) => store],
    ['that has to be waited for', ({ immediate: _, ...store }: Store) => store],
  ])('scenarios over a store %s find what a run finds', async (_, over) => {
    await fc.assert(
      fc.asyncProperty(anyTraffic, async (traffic) => {
        let now = start;
        const clock = () => now;
        const run = runScenarios(createMemoryStore({ clock }).immediate, { secret, scenarios: small });
        const store = over(methodsOf(createMemoryStore({ clock })));
        const live = createScenarios({ store, secret, scenarios: small, clock });
        for (const event of traffic) {
          now += event.gapMs;
          const { gapMs: _, ...request } = event;
          expect(await live.observe(request)).toEqual(run.observe(event, now));
        }
        expect(live.counts()).toEqual(run.counts());
      }),
      fewer,
    );
  });

  it('random traffic does meet all of this', () => {
    const told = fc.sample(anyTraffic, { numRuns: 60, seed: 1 }).flatMap((traffic) => judge(traffic).told);
    const kinds = new Set(told.map(({ what, key, shadow }) => `${what} ${key} ${shadow}`));
    expect([...kinds].sort()).toEqual([
      'blocked client false',
      'blocked client true',
      'blocked headers false',
      'blocked network false',
      'degraded client false',
      'degraded client true',
      'degraded headers false',
      'degraded network false',
    ]);
  });
});

/** Any text at all, broken surrogates too. */
const anyText = (maxLength: number) =>
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength }).map((codes) => String.fromCharCode(...codes));

describe('hostile traffic', () => {
  it('cannot make the records of one client grow', () => {
    let now = start;
    const store = createMemoryStore({ clock: () => now });
    const run = runScenarios(store.immediate, { secret });
    let most = { records: 0, bytes: 0 };
    for (let index = 0; index < 8_000; index += 1) {
      now += 5;
      const path = `/${'x'.repeat(index % 900)}/${index}/list?page=${index}&cursor=${'y'.repeat(index % 50)}`;
      run.observe(
        { method: 'GET', path, status: index % 3 === 0 ? 404 : 200, ip: '192.0.2.1', ua: 'curl/8' },
        now,
      );
      const { records, bytes } = store.usage();
      most = { records: Math.max(most.records, records), bytes: Math.max(most.bytes, bytes) };
    }
    expect(most.records).toBeLessThanOrEqual(80);
    expect(most.bytes).toBeLessThan(600_000);
  });

  it('leaves nothing in clear in the store', async () => {
    let now = start;
    const store = createMemoryStore({ clock: () => now });
    const run = runScenarios(store.immediate, { secret });
    for (let index = 0; index < 200; index += 1) {
      now += 50;
      run.observe(
        { method: 'GET', path: `/secret-${index}`, status: 404, ip: '192.0.2.1', user: 'u-secret' },
        now,
      );
    }
    const texts: string[] = [];
    for await (const held of store.held('')) texts.push(JSON.stringify(held));
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.join()).not.toMatch(/secret-|u-secret|192\.0\.2/);
    expect(texts.join()).toContain('portcullis:default:abuse.default:1:C:{');
  });

  it('is judged without a crash, whatever it looks like', () => {
    let now = start;
    const store = createMemoryStore({ clock: () => now });
    const run = runScenarios(store.immediate, { secret, scenarios: small });
    fc.assert(
      fc.property(
        anyText(200),
        anyText(200),
        fc.array(anyText(80), { maxLength: 20 }),
        fc.integer({ min: -1, max: 1_000 }),
        (path, ua, headerNames, status) => {
          now += 1;
          run.observe({ method: path.slice(0, 3), path, ua, user: ua, headerNames, status, ip: '::1' }, now);
        },
      ),
    );
  });
});
