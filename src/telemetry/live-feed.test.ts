import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGuard } from '../index.ts';
import type { FeedLine, FeedType } from './feed-event.ts';
import { feedOf, limitFeed } from './feed-of.ts';
import { feedStream } from './feed-stream.ts';
import type { FeedSubscription } from './feed-subscription.ts';
import { LiveFeed } from './live-feed.ts';

const parsed = (lines: readonly FeedLine[]) =>
  lines.map(({ json }) => JSON.parse(json) as Record<string, unknown>);

function feedAt(options: ConstructorParameters<typeof LiveFeed>[0] = {}) {
  const time = { now: 10_000 };
  const feed = new LiveFeed({ life: 'cafe', ...options, clock: () => time.now });
  const subscription = feed.subscribe();
  if (subscription === null) expect.unreachable('there is room for one');
  return { feed, time, subscription };
}

describe('LiveFeed', () => {
  it('numbers events and gives each subscriber all of them', () => {
    const { feed, subscription } = feedAt();
    feed.publish('mode', { policy: 'login', from: 'NORMAL', to: 'DEGRADED' });
    feed.publish('mode', { policy: 'login', from: 'DEGRADED', to: 'NORMAL' });
    expect(parsed(subscription.take())).toEqual([
      { seq: 1, t: 10_000, type: 'mode', policy: 'login', from: 'NORMAL', to: 'DEGRADED' },
      { seq: 2, t: 10_000, type: 'mode', policy: 'login', from: 'DEGRADED', to: 'NORMAL' },
    ]);
  });

  it('goes on after the last event seen', () => {
    const { feed } = feedAt({ ringEvents: 3 });
    for (const n of [1, 2, 3, 4]) feed.publish('config', { n });
    const back = feed.subscribe({ since: 'cafe-2' });
    expect(parsed(back?.take() ?? []).map(({ n }) => n)).toEqual([3, 4]);
  });

  it.each([
    [1024, 1024],
    [1024, 10],
    [10, 1024],
    [1, 1],
  ])('keeps one who comes late, with %i events kept and %i that may wait', (ringEvents, queueEvents) => {
    const { feed } = feedAt({ ringEvents, queueEvents });
    for (let n = 1; n <= 3_000; n += 1) feed.publish('config', { n });
    const late = feed.subscribe({ since: 'cafe-0' });
    const lines = parsed(late?.take() ?? []);
    expect(late?.ended).toBeNull();
    expect(lines[0]).toMatchObject({ type: 'gap' });
    expect(lines.length).toBeLessThanOrEqual(queueEvents);
    if (queueEvents > 1) expect(lines.at(-1)).toMatchObject({ n: 3_000 });
    feed.publish('config', { n: 3_001 });
    expect(parsed(late?.take() ?? []).map(({ n }) => n)).toEqual([3_001]);
  });

  it('says how many events are gone for good', () => {
    const { feed } = feedAt({ ringEvents: 2 });
    for (const n of [1, 2, 3, 4, 5]) feed.publish('config', { n });
    const lines = parsed(feed.subscribe({ since: 'cafe-1' })?.take() ?? []);
    expect(lines.map(({ type }) => type)).toEqual(['gap', 'config', 'config']);
    expect(lines[0]).toMatchObject({ seq: 0, missed: 2 });
  });

  it.each([
    'cafe-99',
    'cafe--1',
    'cafe-1.5',
    'cafe-',
    'cafe',
    'beef-1',
    'beef-0',
    '-1',
    '1',
    '99',
    '00',
    'x',
  ])('shows what there is to one who comes with the id %s, which is none of its own', (since) => {
    const { feed } = feedAt();
    feed.publish('config', { n: 1 });
    feed.publish('config', { n: 2 });
    const lines = parsed(feed.subscribe({ since })?.take() ?? []);
    expect(lines.map(({ type }) => type)).toEqual(['gap', 'config', 'config']);
    expect(lines[0]).toMatchObject({ missed: null });
  });

  it('shows all it has to one who has seen nothing, and misses nothing while that is all there was', () => {
    const { feed } = feedAt({ ringEvents: 2 });
    feed.publish('config', { n: 1 });
    expect(parsed(feed.subscribe({ since: '0' })?.take() ?? []).map(({ n }) => n)).toEqual([1]);
    for (const n of [2, 3]) feed.publish('config', { n });
    const lines = parsed(feed.subscribe({ since: '0' })?.take() ?? []);
    expect(lines).toMatchObject([{ type: 'gap', missed: 1 }, { n: 2 }, { n: 3 }]);
  });

  it('is told from the one before a restart, however much has happened since', () => {
    const [before, after] = [new LiveFeed(), new LiveFeed()];
    const reader = before.subscribe();
    before.publish('config', {});
    const seen = reader?.take()[0]?.id ?? null;
    expect(seen).toMatch(/^[0-9a-f]{12}-1$/);
    for (const n of [1, 2, 3]) after.publish('config', { n });
    const lines = parsed(after.subscribe({ since: seen })?.take() ?? []);
    expect(lines).toMatchObject([{ type: 'gap', missed: null }, { n: 1 }, { n: 2 }, { n: 3 }]);
  });

  it('drops a slow subscriber with a notice, and nobody else', () => {
    const { feed, subscription } = feedAt({ queueEvents: 2 });
    const quick = feed.subscribe();
    for (const n of [1, 2, 3]) {
      feed.publish('config', { n });
      quick?.take();
    }
    expect(subscription.ended).toBe('slow');
    expect(parsed(subscription.take())).toEqual([{ seq: 0, t: 10_000, type: 'dropped', waiting: 2 }]);
    expect(quick?.ended).toBeNull();
    expect(feed.counts()).toMatchObject({ dropped: 1, subscribers: 1 });
  });

  it('ends all subscriptions and goes on: who comes back misses nothing', () => {
    const { feed, time, subscription } = feedAt({ eventsPerSecond: 1 });
    for (const n of [1, 2, 3]) feed.publish('limit', { n });
    feed.endSubscriptions();
    expect(subscription.ended).toBe('closed');
    expect(parsed(subscription.take())).toMatchObject([{ n: 1 }]);
    feed.publish('config', { n: 4 });
    time.now += 1_000;
    feed.tell();
    const back = feed.subscribe({ since: 'cafe-1' });
    expect(parsed(back?.take() ?? [])).toMatchObject([{ n: 4 }, { type: 'sampled', hidden: { limit: 2 } }]);
    expect(feed.counts().subscribers).toBe(1);
  });

  it('takes no more subscribers than it may', () => {
    const feed = new LiveFeed({ maxSubscribers: 1 });
    const first = feed.subscribe();
    expect(feed.subscribe()).toBeNull();
    first?.leave();
    expect(feed.subscribe()).not.toBeNull();
  });

  it('shows samples above its rate and says what it left out', () => {
    const { feed, time, subscription } = feedAt({ eventsPerSecond: 4 });
    for (let n = 0; n < 10; n += 1) feed.publish('decision', { n }, true);
    for (let n = 0; n < 10; n += 1) feed.publish('limit', { n });
    feed.publish('mode', { policy: 'login' });
    time.now += 1000;
    feed.tell();
    const types = parsed(subscription.take()).map(({ type }) => type);
    expect(types).toEqual(['decision', 'decision', 'limit', 'limit', 'mode', 'sampled']);
  });

  it('counts what it left out by type', () => {
    const { feed, time, subscription } = feedAt({ eventsPerSecond: 2 });
    for (let n = 0; n < 5; n += 1) feed.publish('limit', { n });
    time.now += 1500;
    feed.publish('limit', { n: 5 });
    expect(parsed(subscription.take()).at(-2)).toEqual({
      seq: 3,
      t: 11_500,
      type: 'sampled',
      from: 10_000,
      windowMs: 1000,
      shown: 2,
      hidden: { limit: 3 },
    });
  });
});

describe('whatever happens to a feed', () => {
  const act = fc.oneof(
    fc.record({
      kind: fc.constant('publish' as const),
      type: fc.constantFrom('decision', 'limit', 'mode', 'config'),
    }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: -50, max: 1500 }) }),
    fc.record({ kind: fc.constant('join' as const), since: fc.option(fc.integer({ min: -1, max: 60 })) }),
    fc.record({ kind: fc.constant('read' as const), who: fc.nat({ max: 3 }) }),
    fc.record({ kind: fc.constant('leave' as const), who: fc.nat({ max: 3 }) }),
  );

  it('shows each reader all events in order, or says that some are missing', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 120 }), (acts) => {
        const { feed, time } = feedAt({
          ringEvents: 8,
          queueEvents: 6,
          maxSubscribers: 4,
          eventsPerSecond: 5,
        });
        const readers: { subscription: FeedSubscription; last: number | null }[] = [];
        for (const one of acts) {
          if (one.kind === 'publish') feed.publish(one.type as FeedType, {}, one.type === 'decision');
          if (one.kind === 'wait') time.now += one.ms;
          if (one.kind === 'join') {
            const subscription = feed.subscribe({ since: one.since === null ? null : `cafe-${one.since}` });
            if (subscription !== null) readers.push({ subscription, last: null });
          }
          if (one.kind === 'leave') readers[one.who]?.subscription.leave();
          const reader = one.kind === 'read' ? readers[one.who] : undefined;
          for (const { seq, type } of reader?.subscription.take() ?? []) {
            if (reader === undefined || seq === 0) {
              expect(['gap', 'dropped']).toContain(type);
              continue;
            }
            if (reader.last !== null) expect(seq).toBe(reader.last + 1);
            reader.last = seq;
          }
          expect(feed.counts().subscribers).toBeLessThanOrEqual(4);
        }
        feed.close();
      }),
      { numRuns: 300 },
    );
  });
});

describe('feedOf', () => {
  it('shows decisions and blocks of a guard without any identifier', async () => {
    const guard = createGuard({ secret: 'a secret of sixteen bytes or more' });
    const { feed, subscription } = feedAt();
    feedOf(feed, guard);
    const request = { action: 'auth.login', account: 'alice@example.org', ip: '203.0.113.7', ua: 'Curl/8' };
    for (let n = 0; n < 4; n += 1) await guard.fail(request);
    const lines = subscription.take();
    const types = parsed(lines).map(({ type }) => type);
    expect(types.filter((type) => type === 'decision')).toHaveLength(4);
    expect(types).toContain('block');
    const text = lines.map(({ json }) => json).join('\n');
    expect(text).not.toMatch(/alice|203\.0\.113|curl/i);
    await guard.close();
  });

  it('shows refusals of a limiter', () => {
    const { feed, subscription } = feedAt();
    const listen = limitFeed(feed, 'default');
    listen({
      type: 'refused',
      rule: 'limit',
      caller: 'user',
      route: 'GET /list',
      cost: 1,
      retryAfterMs: 20,
      shadow: false,
    });
    expect(parsed(subscription.take())[0]).toMatchObject({
      type: 'limit',
      what: 'refused',
      route: 'GET /list',
    });
  });
});

describe('feedStream', () => {
  it('writes server-sent events and ends with its feed', async () => {
    const { feed, subscription } = feedAt();
    const stream = feedStream(subscription);
    feed.publish('config', { what: 'applied' });
    feed.close();
    let text = '';
    for await (const chunk of stream) text += String(chunk);
    expect(text).toBe(
      'retry: 2000\n\nid: cafe-1\ndata: {"seq":1,"t":10000,"type":"config","what":"applied"}\n\n',
    );
  });

  it('leaves the feed when its client goes away', async () => {
    const { feed, subscription } = feedAt();
    const client = new AbortController();
    const stream = feedStream(subscription, client.signal);
    const closed = new Promise((resolve) => stream.on('close', resolve));
    client.abort();
    await closed;
    expect(feed.counts().subscribers).toBe(0);
  });
});
