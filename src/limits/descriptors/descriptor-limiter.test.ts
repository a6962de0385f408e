import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../stores/memory/index.ts';
import type { Store } from '../../stores/store.ts';
import { createFaultyStore, VirtualClock } from '../../testing/index.ts';
import {
  createDescriptorLimiter,
  type DescriptorEvent,
  type DescriptorLimiterOptions,
} from './descriptor-limiter.ts';
import type { DomainDocument } from './domain-document.ts';

const secret = 'descriptors-secret-0123456789';

/** Ten a minute for every user, two for `trial*`, none for `banned`. */
const messaging: DomainDocument = {
  domain: 'messaging',
  descriptors: [
    {
      key: 'user',
      rate_limit: { unit: 'minute', requests_per_unit: 10, name: 'user' },
      descriptors: [
        { key: 'route', value: 'send', rate_limit: { unit: 'HOUR', requests_per_unit: 3 } },
        { key: 'route', value: 'read', rate_limit: { unlimited: true } },
      ],
    },
    { key: 'user', value: 'trial*', rate_limit: { unit: 'minute', requests_per_unit: 2 } },
    {
      key: 'user',
      value: 'pool*',
      share_threshold: true,
      rate_limit: { unit: 'minute', requests_per_unit: 2 },
    },
    { key: 'user', value: 'banned', rate_limit: { unit: 'second', requests_per_unit: 0 } },
    {
      key: 'user',
      value: 'watched',
      shadow_mode: true,
      rate_limit: { unit: 'minute', requests_per_unit: 1 },
    },
    {
      key: 'plan',
      value: 'gold',
      rate_limit: { unit: 'minute', requests_per_unit: 100, replaces: [{ name: 'user' }] },
    },
    { key: 'status', value: 404, rate_limit: { unit: 'day', requests_per_unit: 1 } },
    { key: 'open' },
  ],
};

const fiveADay = { unit: 'day', requests_per_unit: 5 };
const crowded: DomainDocument = {
  domain: 'messaging',
  descriptors: [
    { key: 'user', rate_limit: { unit: 'day', requests_per_unit: 100 } },
    { key: 'code', rate_limit: fiveADay },
    {
      key: 'mail',
      rate_limit: fiveADay,
      descriptors: [{ key: 'kind', value: 'reset', rate_limit: fiveADay }],
    },
  ],
};

function scene(options: Partial<DescriptorLimiterOptions> = {}) {
  let now = 1_000_000_000_000 - (1_000_000_000_000 % 3_600_000);
  const clock = () => now;
  const events: DescriptorEvent[] = [];
  const limiter = createDescriptorLimiter({
    store: createMemoryStore({ clock }),
    secret,
    domains: [messaging],
    clock,
    onEvent: (event) => events.push(event),
    ...options,
  });
  const pairs = (text: string) =>
    text.split(',').map((pair) => {
      const [key = '', value = ''] = pair.split('=');
      return { key, value };
    });
  return {
    limiter,
    events,
    wait: (ms: number) => {
      now += ms;
    },
    ask: async (text: string, hits = 1, domain = 'messaging') => {
      const { statuses } = await limiter.decide(domain, [{ pairs: pairs(text), hits }]);
      return statuses[0];
    },
    askAll: (texts: string[], hits = 1) =>
      limiter.decide(
        'messaging',
        texts.map((text) => ({ pairs: pairs(text), hits })),
      ),
    pairs,
  };
}

describe('a descriptor limiter', () => {
  it('counts every value of a key on its own, and starts again with the window', async () => {
    const { ask, wait } = scene();
    wait(15_000);
    for (let left = 9; left >= 0; left -= 1) {
      expect(await ask('user=ann')).toMatchObject({ over: false, remaining: left, resetMs: 45_000 });
    }
    expect(await ask('user=ann')).toMatchObject({ over: true, remaining: 0, resetMs: 45_000 });
    expect(await ask('user=bob')).toMatchObject({ over: false, remaining: 9 });
    wait(45_000);
    expect(await ask('user=ann')).toMatchObject({ over: false, remaining: 9, resetMs: 60_000 });
  });

  it('takes the most specific rule: a value before a wildcard before the key alone', async () => {
    const { ask } = scene();
    expect(await ask('user=banned')).toMatchObject({ over: true, limit: { requests: 0, unit: 'second' } });
    expect(await ask('user=trial-7')).toMatchObject({ remaining: 1, limit: { requests: 2 } });
    expect(await ask('user=trial-8')).toMatchObject({ remaining: 1 });
    expect(await ask('status=404')).toMatchObject({ limit: { unit: 'day' } });
    expect(await ask('status=500')).toMatchObject({ over: false, limit: null, remaining: 0 });
  });

  it('shares one counter where the document says so', async () => {
    const { ask } = scene();
    await ask('user=pool-1');
    expect(await ask('user=pool-2')).toMatchObject({ remaining: 0 });
    expect(await ask('user=pool-3')).toMatchObject({ over: true });
  });

  it('meets a rule only with as many pairs as it has levels', async () => {
    const { ask } = scene();
    expect(await ask('user=ann,route=send')).toMatchObject({ remaining: 2, limit: { unit: 'hour' } });
    expect(await ask('user=ann,route=other')).toMatchObject({ limit: null });
    expect(await ask('user=ann,route=send,more=1')).toMatchObject({ limit: null });
    expect(await ask('user=ann,route=read')).toMatchObject({ limit: null, remaining: null, over: false });
    expect(await ask('open=1')).toMatchObject({ limit: null, remaining: 0 });
    expect(await ask('user=ann', 1, 'elsewhere')).toMatchObject({ limit: null });
  });

  it('is over when one of several descriptors is, and counts them all', async () => {
    const { askAll } = scene();
    const verdict = await askAll(['user=ann', 'user=banned', 'nothing=here']);
    expect(verdict.over).toBe(true);
    expect(verdict.statuses.map(({ over }) => over)).toEqual([false, true, false]);
    expect((await askAll(['user=ann'])).statuses[0]?.remaining).toBe(8);
  });

  it('tells of a limit in shadow and lets its requests through', async () => {
    const { ask, events } = scene();
    await ask('user=watched');
    expect(await ask('user=watched')).toMatchObject({ over: false, remaining: 0 });
    expect(events).toEqual([
      {
        type: 'over-limit',
        domain: 'messaging',
        limit: null,
        unit: 'minute',
        hits: 1,
        resetMs: 60_000,
        shadow: true,
      },
    ]);
  });

  it('leaves out a limit that another one of the request replaces', async () => {
    const { askAll } = scene();
    const { statuses } = await askAll(['user=ann', 'plan=gold']);
    expect(statuses.map(({ limit }) => limit?.requests ?? null)).toEqual([null, 100]);
    expect((await askAll(['user=ann'])).statuses[0]?.remaining).toBe(9);
  });

  it('prefers the limit that comes with the request, never in shadow', async () => {
    const { limiter, pairs } = scene();
    const descriptor = {
      pairs: pairs('user=watched'),
      hits: 2,
      limit: { unit: 'second' as const, requests: 1 },
    };
    const { over, statuses } = await limiter.decide('messaging', [descriptor]);
    expect(over).toBe(true);
    expect(statuses[0]).toMatchObject({ limit: { requests: 1, unit: 'second', shadow: false } });
    expect((await limiter.decide('elsewhere', [descriptor])).over).toBe(false);
  });

  it('looks with no hits and gives back with negative ones', async () => {
    const { ask } = scene();
    await ask('user=ann', 7);
    expect(await ask('user=ann', 0)).toMatchObject({ remaining: 3 });
    expect(await ask('user=ann', 5)).toMatchObject({ over: true });
    expect(await ask('user=ann', 0)).toMatchObject({ over: true });
    expect(await ask('user=ann', -4)).toMatchObject({ over: false, remaining: 2 });
    expect(await ask('user=ann', -100)).toMatchObject({ remaining: 10 });
  });

  it('goes on counting in this process while the store fails', async () => {
    const store = createFaultyStore(createMemoryStore(), new VirtualClock());
    const { askAll, events } = scene({ store });
    store.trouble({ kind: 'fault', code: 'STORE_FAILED' });
    const first = await askAll(['user=ann']);
    const second = await askAll(['user=ann']);
    expect([first.mode, second.mode]).toEqual(['FAIL_OPEN', 'FAIL_OPEN']);
    expect(second.statuses[0]?.remaining).toBe(8);
    expect(events[0]).toMatchObject({ type: 'store-failed', code: 'STORE_FAILED' });
  });

  it('never counts for one limit what another one has counted while the store fails', async () => {
    const store = createFaultyStore(createMemoryStore(), new VirtualClock());
    const { ask, limiter, pairs } = scene({ store, domains: [crowded] });
    store.trouble({ kind: 'fault', code: 'STORE_FAILED' });
    for (let user = 0; user < 4_200; user += 1) await ask(`user=${user}`);
    expect(await ask('user=new')).toMatchObject({ over: true });
    expect(await ask('code=new')).toMatchObject({ over: false, remaining: 4 });
    expect(await ask('mail=new')).toMatchObject({ over: false, remaining: 4 });
    expect(await ask('mail=new,kind=reset')).toMatchObject({ over: false, remaining: 4 });
    const limit = { unit: 'day', requests: 5 } as const;
    const given = await limiter.decide('messaging', [{ pairs: pairs('user=other'), limit, hits: 1 }]);
    expect(given.statuses[0]).toMatchObject({ over: false, remaining: 4 });
  });

  it('keeps its rules when new documents are wrong, or only made ready, and its counters in any case', async () => {
    const { limiter, ask } = scene();
    await ask('user=ann');
    expect(() => limiter.prepare([{ domain: '' }])).toThrow(
      /envoy\[0\]\.domain: must be a string of 1 to 256/,
    );
    expect(await ask('user=ann')).toMatchObject({ remaining: 8 });
    const rate_limit = { unit: 'minute', requests_per_unit: 100 };
    const change = limiter.prepare([{ domain: 'messaging', descriptors: [{ key: 'user', rate_limit }] }]);
    expect(await ask('user=ann')).toMatchObject({ remaining: 7 });
    change();
    expect(await ask('user=ann')).toMatchObject({ remaining: 96 });
  });

  it('refuses hits that are no whole number', async () => {
    const { ask } = scene();
    await expect(ask('user=ann', 0.5)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('answers as a plain counter per window does, whatever is asked when', async () => {
    const step = fc.record({ waitMs: fc.nat(30_000), hits: fc.integer({ min: -3, max: 6 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { ask, wait } = scene();
        let elapsed = 0;
        let window = 0;
        let count = 0;
        for (const { waitMs, hits } of steps) {
          wait(waitMs);
          elapsed += waitMs;
          if (Math.floor(elapsed / 60_000) !== window) count = 0;
          window = Math.floor(elapsed / 60_000);
          if (count <= 10 || hits < 0) count = Math.max(0, count + hits);
          expect(await ask('user=ann', hits)).toMatchObject({
            over: count > 10,
            remaining: Math.max(0, 10 - count),
            resetMs: 60_000 - (elapsed % 60_000),
          });
        }
      }),
      { numRuns: 200 },
    );
  });

  it('gives no two descriptors one counter', async () => {
    const part = fc.string({ maxLength: 4 });
    const pair = fc.record({ key: fc.constantFrom('a', 'b', 'ab'), value: part });
    const pairs = fc.array(pair, { minLength: 1, maxLength: 3 });
    const leaf = { rate_limit: { unit: 'day', requests_per_unit: 5 } };
    const level = (depth: number): NonNullable<DomainDocument['descriptors']> =>
      ['a', 'b', 'ab'].map((key) => ({ key, ...leaf, ...(depth > 1 && { descriptors: level(depth - 1) }) }));
    await fc.assert(
      fc.asyncProperty(pairs, pairs, async (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        const { limiter } = scene({ domains: [{ domain: 'd', descriptors: level(3) }] });
        await limiter.decide('d', [{ pairs: one, hits: 1 }]);
        const { statuses } = await limiter.decide('d', [{ pairs: other, hits: 1 }]);
        expect(statuses[0]?.remaining).toBe(4);
      }),
      { numRuns: 200 },
    );
  });

  it('puts no value of a descriptor into a key', async () => {
    const keys: string[] = [];
    const store = createMemoryStore();
    const spying: Store = {
      view: (seen, look) => store.view(seen, look),
      transact: (seen, step) => {
        keys.push(...seen.map(({ text }) => text));
        return store.transact(seen, step);
      },
      ping: () => store.ping(),
      held: (prefix) => store.held(prefix),
      close: () => store.close(),
    };
    await scene({ store: spying }).ask('user=203.0.113.7');
    expect(keys).toEqual([
      expect.stringMatching(/^portcullis:default:limits\.descriptors:1:C:\{[\w-]{22}\}$/),
    ]);
  });
});
