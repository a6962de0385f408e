import { describe, expect, it } from 'vitest';
import { Fault } from '../core/fault.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { Store } from '../stores/store.ts';
import type { Call } from './call.ts';
import type { Client } from './client-finder.ts';
import type { LimitEvent } from './events.ts';
import { createLimiter, type Limiter } from './limiter.ts';
import type { LimiterOptions } from './limiter-options.ts';
import type { Verdict } from './verdict.ts';
import type { Warning } from './warning.ts';

const secret = 'sixteen bytes or more';
const start = 1_700_000_000_000;
const chrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';
const get: Call = { method: 'GET', path: '/list', ip: '203.0.113.7', ua: chrome };

/** A limiter in simulated time, with everything it said. */
function bench(options: Partial<LimiterOptions> = {}) {
  let now = start;
  const store = createMemoryStore({ clock: () => now });
  const events: LimitEvent[] = [];
  const limiter = createLimiter({
    store,
    secret,
    clock: () => now,
    onEvent: (event) => events.push(event),
    ...options,
  });
  return {
    limiter,
    store,
    events,
    elapse: (ms: number) => {
      now += ms;
    },
    /** How many of these calls are allowed before the first refusal. */
    async spend(call: Call): Promise<number> {
      for (let allowed = 0; ; allowed += 1) if (!(await limiter.take(call)).allowed) return allowed;
    },
  };
}

async function all<T>(given: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of given) items.push(item);
  return items;
}

async function faultOf(run: () => unknown): Promise<Fault | null> {
  try {
    await run();
    return null;
  } catch (error) {
    return error instanceof Fault ? error : null;
  }
}

describe('a limiter', () => {
  it('gives anonymous callers a quarter of what users get', async () => {
    const { spend } = bench({ ratePerSecond: 8, burst: 2 });
    expect(await spend({ ...get, user: 'u1' })).toBe(16);
    expect(await spend(get)).toBe(4);
  });

  it('takes the cost of the route', async () => {
    const { spend } = bench({ ratePerSecond: 10, burst: 3 });
    expect(await spend({ ...get, user: 'u1', method: 'PUT', path: '/create' })).toBe(6);
    expect(await spend({ ...get, user: 'u2', method: 'PATCH', path: '/update' })).toBe(10);
    expect(await spend({ ...get, user: 'u3', cost: 15 })).toBe(2);
  });

  it('knows an anonymous caller by network and agent, a user by its id alone', async () => {
    const { spend } = bench({ ratePerSecond: 4, burst: 2 });
    expect(await spend(get)).toBe(2);
    expect(await spend({ ...get, ip: '::ffff:203.0.113.7' })).toBe(0);
    expect(await spend({ ...get, ua: chrome.replace('120.0.0', '120.9.9') })).toBe(0);
    expect(await spend({ ...get, ua: chrome.replace('Chrome/120', 'Chrome/121') })).toBe(2);
    expect(await spend({ ...get, ip: '203.0.113.8' })).toBe(2);
    expect(await spend({ ...get, ip: '2001:db8::1' })).toBe(2);
    expect(await spend({ ...get, ip: '2001:db8::2' })).toBe(0);
    expect(await spend({ ...get, user: 'u1' })).toBe(8);
    expect(await spend({ ...get, user: 'u1', ip: '198.51.100.1', ua: null })).toBe(0);
  });

  it('does not let a new agent on every call escape the limit', async () => {
    const { limiter } = bench({ ratePerSecond: 4, burst: 2 });
    let allowed = 0;
    for (let major = 1; major <= 999; major += 1) {
      const ua = `Mozilla/5.0 Chrome/${major}.0 Safari/537.36`;
      if ((await limiter.take({ ...get, ua })).allowed) allowed += 1;
    }
    expect(allowed).toBe(52);
  });

  it('tells what is left and what to wait for', async () => {
    const { limiter } = bench({ ratePerSecond: 4, burst: 2, name: 'api' });
    expect(await limiter.take(get)).toMatchObject({
      allowed: true,
      rule: null,
      retryAfterMs: 0,
      route: 'GET /list',
      caller: 'anonymous',
      cost: 1,
      mode: 'NORMAL',
      quota: { policy: 'api', capacity: 2, windowSeconds: 2, remaining: 1, moreInMs: 1_000 },
    });
    await limiter.take(get);
    expect(await limiter.take(get)).toMatchObject({
      allowed: false,
      rule: 'limit',
      retryAfterMs: 1_000,
      quota: { remaining: 0 },
    });
  });

  it('keeps no identifier in clear', async () => {
    const { limiter, store } = bench();
    await limiter.take({ ...get, user: 'u-secret' });
    await limiter.take(get);
    await limiter.block({ ...get, user: 'u-secret' });
    const texts: string[] = [];
    for await (const held of store.held('')) texts.push(JSON.stringify(held));
    expect(texts).toHaveLength(1);
    expect(texts.join()).not.toMatch(/u-secret|203\.0\.113|Chrome/);
    expect(texts.join()).toContain('portcullis:default:limits.default:1:U:{');
  });

  it('finds its clients again under a new secret while the old one is known', async () => {
    const { limiter, store } = bench();
    await limiter.block(get);
    const rotated = createLimiter({ store, secret: 'another secret, as long', previousSecret: secret });
    const forgetful = createLimiter({ store, secret: 'another secret, as long' });
    expect((await rotated.take(get)).allowed).toBe(false);
    expect((await forgetful.take(get)).allowed).toBe(true);
  });

  it('lifts a block of before a rotation for good, by its client and by the id that it gives', async () => {
    for (const client of [get, { ...get, user: 'u1' }]) {
      for (const whomOf of [async () => client, (limiter: Limiter) => limiter.blockIdOf(client)]) {
        const { limiter, store } = bench();
        await limiter.block(client);
        const rotated = createLimiter({ store, secret: 'another secret, as long', previousSecret: secret });
        const whom = await whomOf(rotated);
        expect([await rotated.lift(whom), await rotated.lift(whom)]).toEqual([true, false]);
        expect((await rotated.take(client)).allowed).toBe(true);
        expect(await all(rotated.blocks())).toEqual([]);
        expect((await limiter.take(client)).allowed).toBe(true);
      }
    }
  });

  it('tells of a lift also where only nodes without the new secret knew the block', async () => {
    const before = bench();
    const { store } = before;
    const { limiter } = bench({ store, secret: 'another of sixteen bytes', previousSecret: secret });
    await limiter.take(get);
    await before.limiter.block(get);
    expect(await limiter.lift(get)).toBe(true);
    expect((await before.limiter.take(get)).allowed).toBe(true);
    expect(await limiter.lift(get)).toBe(false);
  });

  it('says what is wrong with a call', async () => {
    const { limiter } = bench();
    expect((await faultOf(() => limiter.take({ ...get, ip: 'nonsense' })))?.code).toBe('INPUT_INVALID');
    expect((await faultOf(() => limiter.take({ ...get, cost: -1 })))?.code).toBe('INPUT_INVALID');
    expect((await faultOf(() => limiter.block(get, 9)))?.code).toBe('INPUT_INVALID');
  });

  it('takes what scenarios see of a call besides: one object may serve both', async () => {
    const { limiter } = bench();
    const seen = { ...get, headerNames: ['host'], status: 200, route: '/list' };
    expect(await limiter.take(seen)).toMatchObject({ allowed: true });
    expect(await limiter.lift(seen)).toBe(false);
  });

  it.each<[unknown, string | RegExp]>([
    [undefined, 'call must be an object, got nothing'],
    ['203.0.113.7', 'call must be an object, got a string of 11 characters'],
    [{ ...get, method: undefined }, 'method must be a string, got nothing'],
    [{ ...get, path: undefined }, 'path must be a string, got nothing'],
    [{ ...get, otherPaths: '/list' }, 'otherPaths must be a list of strings, got a string of 5 characters'],
    [{ ...get, otherPaths: [42] }, 'otherPaths must be a list of strings, got an array of 1'],
    [{ ...get, user: 42 }, 'user must be a string, got an integer of 2 digits'],
    [{ ...get, user: 'a\ud800' }, 'user must not contain half of a surrogate pair'],
    [{ ...get, ua: ['curl'] }, 'ua must be a string, got an array of 1'],
    [{ ...get, userId: 'a' }, /^userId is no field of a call: there are method, path, otherPaths, ip, /],
    [{ ...get, constructor: 'a' }, /^constructor is no field of a call/],
    [{ ...get, standing: { refilScale: 0.5, refusedForMs: 0 } }, /^standing.refillScale must be a number/],
    [{ ...get, standing: { refillScale: 0.5 } }, /^standing.refusedForMs must be a number, got nothing/],
    [{ ...get, standing: 0.5 }, /^standing must be an object/],
  ])('takes no call that is %j', async (call, message) => {
    const { limiter } = bench();
    const fault = await faultOf(() => limiter.take(call as Call));
    expect(fault).toMatchObject({ code: 'INPUT_INVALID', message });
  });

  it.each<[unknown, string | RegExp]>([
    [undefined, 'client must be an object, got nothing'],
    [{ ...get, user: 42 }, 'user must be a string, got an integer of 2 digits'],
    [{ ...get, user: '\udc00\ud800' }, 'user must not contain half of a surrogate pair'],
    [{ ip: get.ip, usr: 'a' }, /^usr is no field of a client: there are ip, ua, user/],
  ])('blocks and lifts no client that is %j', async (given, message) => {
    const { limiter } = bench();
    const client = given as Client;
    for (const act of [
      () => limiter.block(client),
      () => limiter.lift(client),
      () => limiter.blockIdOf(client),
    ]) {
      expect(await faultOf(act)).toMatchObject({ code: 'INPUT_INVALID', message });
    }
  });

  it('settles no more than a verdict', async () => {
    const { limiter } = bench();
    const nothing = undefined as unknown as Verdict;
    expect(await faultOf(() => limiter.settle(nothing, 1))).toMatchObject({
      code: 'INPUT_INVALID',
      message: 'verdict must be what take gave, got nothing',
    });
  });

  it.each<[Record<string, unknown>, string]>([
    [{ burst: 5 }, 'limiter.burst'],
    [{ ratePerSecond: 0 }, 'limiter.ratePerSecond'],
    [{ anonymous: { burst: 1 } }, 'anonymous.burst'],
    [{ name: 'a b' }, 'name'],
    [{ environment: 'a:b' }, 'environment'],
    [{ otherCost: -1 }, 'otherCost'],
    [{ secret: 'short' }, 'secret'],
    [{ overrides: [{ ratePerSecond: 1 }] }, 'overrides[0]'],
    [{ overrides: [{ user: 'a', cidr: '10.0.0.0/8', ratePerSecond: 1 }] }, 'overrides[0]'],
    [{ allow: { headers: [{ name: 'x-friend', value: '15 characters..' }] } }, 'at least 16 characters'],
    [{ store: null }, 'store must be a store, got null'],
    [{ store: {} }, 'store must be a store, got an object'],
    [{ refillScale: 5 }, 'refillScale must be a function, got an integer of 1 digit'],
    [{ onEvent: 'log' }, 'onEvent must be a function'],
    [{ routes: {} }, 'routes must be a list, got an object'],
    [{ overrides: 'all' }, 'overrides must be a list'],
    [{ shadow: {} }, 'shadow must be a list'],
    [{ windowMs: 60_000 }, 'windowMs is no option of a limiter: there are store, secret, '],
    [{ previousSecret: 'short' }, 'previousSecret must have'],
    [{ anonymous: 5 }, 'anonymous must be an object, got an integer of 1 digit'],
    [{ anonymous: null }, 'anonymous must be an object, got null'],
    [{ anonymous: { rate: 5 } }, 'rate is no option of anonymous: there are ratePerSecond, burst'],
    [{ routes: [null] }, 'options of routes[0] must be an object, got null'],
    [{ routes: ['/list'] }, 'options of routes[0] must be an object, got a string of 5 characters'],
    [{ routes: [{ path: '/list', costs: 5 }] }, 'costs is no option of routes[0]: there are method, '],
    [{ routes: [{ method: ['GET'], path: '/list' }] }, 'routes[0].method must be'],
    [{ routes: [{ path: '/list', signIn: 'yes' }] }, 'signIn must be true or false'],
    [
      {
        overrides: [
          { user: 'a', ratePerSecond: 1 },
          { user: 'a', ratePerSecond: 2 },
        ],
      },
      'overrides[1].user has an override already',
    ],
    [{ overrides: [null] }, 'options of overrides[0] must be an object, got null'],
    [{ overrides: [{ user: 5, ratePerSecond: 1 }] }, 'user must be a string, got an integer of 1 digit'],
    [{ overrides: [{ userId: 'a', ratePerSecond: 1 }] }, 'userId is no option of overrides[0]'],
    [{ allow: '10.0.0.0/8' }, 'allow must be an object, got a string of 10 characters'],
    [{ allow: ['10.0.0.0/8'] }, 'allow must be an object, got an array of 1'],
    [{ allow: { ips: ['10.0.0.0/8'] } }, 'ips is no option of allow: there are cidrs, users, headers'],
    [{ allow: { cidrs: '10.0.0.0/8' } }, 'cidrs must be a list, got a string of 10 characters'],
    [{ allow: { users: 'bob' } }, 'users must be a list, got a string of 3 characters'],
    [{ allow: { users: [5] } }, 'allow.users[0] must be a string that is not empty, got an integer'],
    [{ allow: { headers: ['x-friend'] } }, 'options of allow.headers[0] must be an object'],
  ])('says what is wrong with %j', async (options, field) => {
    const fault = await faultOf(() => bench(options as Partial<LimiterOptions>));
    expect(fault?.code).toBe('CONFIG_INVALID');
    expect(fault?.message).toContain(field);
  });
});

describe('other limits', () => {
  it('of everybody who is not signed in are never below the lowest that there is', async () => {
    const { limiter } = bench({ ratePerSecond: 0.001 });
    expect((await limiter.take(get)).allowed).toBe(true);
    expect((await limiter.take(get)).retryAfterMs).toBe(1_000_000);
  });

  it('count for a user, then for an address, then for everybody', async () => {
    const { spend } = bench({
      ratePerSecond: 4,
      burst: 2,
      overrides: [
        { user: 'partner', ratePerSecond: 20, burst: 2 },
        { cidr: '203.0.113.0/24', ratePerSecond: 6, burst: 2 },
      ],
    });
    expect(await spend({ ...get, user: 'partner' })).toBe(40);
    expect(await spend({ ...get, user: 'u1' })).toBe(12);
    expect(await spend(get)).toBe(12);
    expect(await spend({ ...get, ip: '198.51.100.1' })).toBe(2);
  });

  it('can be found call by call', async () => {
    const plan = { ratePerSecond: 50, burst: 2 };
    const { spend } = bench({ limitFor: ({ user }) => (user === 'gold' ? plan : null) });
    expect(await spend({ ...get, user: 'gold' })).toBe(100);
    expect(await spend({ ...get, user: 'u1' })).toBe(30);
  });

  it('follow the pressure', async () => {
    let scale = 1;
    const { spend, elapse } = bench({ ratePerSecond: 40, burst: 2, refillScale: () => scale });
    const user = { ...get, user: 'u1' };
    expect(await spend(user)).toBe(80);
    scale = 0.25;
    await spend(user);
    elapse(1_000);
    expect(await spend(user)).toBe(10);
  });
});

describe('the allowlist', () => {
  const friend = 'a value that only friends know';
  const allow = {
    cidrs: ['10.0.0.0/8'],
    users: ['health-check'],
    headers: [{ name: 'X-Friend', value: friend }],
  };

  it('lets pass by address, user or header, and counts each', async () => {
    const { limiter } = bench({ ratePerSecond: 4, burst: 2, allow });
    const withHeader = (value: string): Call => ({
      ...get,
      header: (name) => (name === 'x-friend' ? value : undefined),
    });
    for (let i = 0; i < 20; i += 1) {
      expect((await limiter.take({ ...get, ip: '::ffff:10.1.2.3' })).skipped).toBe('cidr');
      expect((await limiter.take({ ...get, user: 'health-check' })).skipped).toBe('user');
      expect((await limiter.take(withHeader(friend))).skipped).toBe('header');
    }
    expect(limiter.counts().skipped).toEqual({ cidr: 20, user: 20, header: 20 });
    expect((await limiter.take(withHeader(`${friend}!`))).skipped).toBeNull();
    expect((await limiter.take(get)).skipped).toBeNull();
  });

  it('tells nothing about a quota', async () => {
    const { limiter } = bench({ allow });
    expect((await limiter.take({ ...get, ip: '10.0.0.1' })).quota).toBeNull();
  });
});

describe('shadow', () => {
  it('decides and tells, and refuses nobody', async () => {
    const { limiter, events } = bench({ ratePerSecond: 4, burst: 2, shadow: true });
    for (let i = 0; i < 2; i += 1) expect((await limiter.take(get)).shadow).toBeNull();
    const verdict = await limiter.take(get);
    expect(verdict).toMatchObject({
      allowed: true,
      rule: null,
      quota: null,
      shadow: { rule: 'limit', retryAfterMs: 1_000 },
    });
    expect(events).toMatchObject([{ type: 'refused', rule: 'limit', shadow: true }]);
    expect(limiter.counts()).toMatchObject({ allowed: 3, refused: { limit: 0 }, shadowed: { limit: 1 } });
  });

  it('can be for one rule', async () => {
    const { limiter } = bench({ ratePerSecond: 4, burst: 2, shadow: ['auto-block'] });
    let verdict = await limiter.take(get);
    for (let i = 0; i < 50; i += 1) verdict = await limiter.take(get);
    expect(verdict).toMatchObject({ allowed: false, rule: 'limit', shadow: { rule: 'auto-block' } });
  });

  it('leaves nothing behind that is enforced later', async () => {
    const { limiter, store } = bench({ ratePerSecond: 4, burst: 2, shadow: true });
    for (let i = 0; i < 60; i += 1) await limiter.take(get);
    const enforcing = createLimiter({ store, secret, ratePerSecond: 4, burst: 2 });
    expect((await enforcing.take(get)).allowed).toBe(true);
  });

  it('is refused where it names no rule', async () => {
    const fault = await faultOf(() => bench({ shadow: ['everything' as 'limit'] }));
    expect(fault?.message).toContain('shadow must list "limit" or "auto-block"');
  });
});

describe('blocks', () => {
  it('come by themselves, refuse everything and end', async () => {
    const { limiter, elapse, events } = bench({ ratePerSecond: 4, burst: 2 });
    let verdict = await limiter.take(get);
    for (let i = 0; i < 50; i += 1) verdict = await limiter.take(get);
    expect(verdict).toMatchObject({ allowed: false, rule: 'auto-block', retryAfterMs: 60_000 });
    elapse(59_999);
    expect(await limiter.take(get)).toMatchObject({ rule: 'blocked', retryAfterMs: 1 });
    elapse(1);
    expect((await limiter.take(get)).allowed).toBe(true);
    expect(events.filter((event) => event.type === 'refused' && event.rule === 'auto-block')).toHaveLength(1);
  });

  it('are lifted and placed by hand', async () => {
    const { limiter } = bench();
    expect(await limiter.lift(get)).toBe(false);
    expect(await limiter.block(get, 3)).toBe(start + 300_000);
    expect((await limiter.take(get)).rule).toBe('blocked');
    expect(await limiter.block(get, 1)).toBe(start + 300_000);
    expect(await limiter.lift(get)).toBe(true);
    expect((await limiter.take(get)).allowed).toBe(true);
    expect(await limiter.block(get, 1)).toBe(start + 1_800_000);
  });

  it('are listed by hashes and lifted by what the list calls them', async () => {
    const { limiter, elapse } = bench({ name: 'shop' });
    await limiter.block({ ...get, user: 'u-secret' }, 2);
    await limiter.block(get, 3);
    await limiter.block({ ip: '2001:db8::1' }, 1);
    elapse(15_000);
    const listed = await all(limiter.blocks());
    expect(listed).toHaveLength(2);
    expect(listed).toContainEqual({
      id: expect.stringMatching(/^limits\.shop:U:[\w-]+$/),
      scope: 'U',
      level: 2,
      until: start + 60_000,
    });
    expect(listed).toContainEqual({
      id: expect.stringMatching(/^limits\.shop:K2:[\w-]+:[\w-]+$/),
      scope: 'K2',
      level: 3,
      until: start + 300_000,
    });
    expect(JSON.stringify(listed)).not.toMatch(/secret|203\.0/);
    const ofUser = listed.find(({ scope }) => scope === 'U')?.id ?? '';
    expect(await limiter.lift(ofUser)).toBe(true);
    expect(await limiter.lift(ofUser)).toBe(false);
    expect((await limiter.take({ ...get, user: 'u-secret' })).allowed).toBe(true);
    expect((await all(limiter.blocks())).map(({ scope }) => scope)).toEqual(['K2']);
    expect((await limiter.take(get)).rule).toBe('blocked');
  });

  it('are called by the same ids before they are placed', async () => {
    const { limiter } = bench({ name: 'shop' });
    const clients = [{ ...get, user: 'u-secret' }, get, { ip: '2001:db8::1' }];
    const ids: string[] = [];
    for (const client of clients) ids.push(await limiter.blockIdOf(client));
    for (const client of clients) await limiter.block(client);
    expect((await all(limiter.blocks())).map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(await limiter.blockIdOf(get)).toBe(ids[1]);
    expect((await faultOf(() => limiter.blockIdOf({ ip: 'nope' })))?.code).toBe('INPUT_INVALID');
  });

  it('are called by the id of the crowd, where a network has shown too many agents', async () => {
    const { limiter } = bench();
    for (let n = 1; n <= 50; n += 1) await limiter.take({ ...get, ua: chrome.replace('120', String(n)) });
    const late = { ...get, ua: chrome.replace('120', '999') };
    const id = await limiter.blockIdOf(late);
    await limiter.block(late);
    expect((await all(limiter.blocks())).map((block) => block.id)).toEqual([id]);
    expect(await limiter.blockIdOf({ ip: get.ip })).toBe(id);
  });

  it('are lifted by a whole id of the same limiter only', async () => {
    const { limiter } = bench();
    await limiter.block(get);
    const [block] = await all(limiter.blocks());
    const id = block?.id ?? '';
    const wrong = [
      '',
      'login:K4:abc',
      id.replace('default', 'other'),
      `${id}:x`,
      id.replace('K2', 'K1'),
      `${id}}`,
    ];
    for (const given of wrong) {
      const fault = await faultOf(() => limiter.lift(given));
      expect([fault?.code, fault?.message]).toEqual([
        'INPUT_INVALID',
        expect.stringMatching(/^block id must be limits\.default:<scope>:<hash>\[:<hash>\], got /),
      ]);
    }
    expect(await limiter.lift(id.slice(0, -1))).toBe(false);
    expect(await limiter.lift(id)).toBe(true);
  });

  it('give way to a longer one, and stay where it would be shorter', async () => {
    const { limiter, elapse } = bench();
    expect(await limiter.block(get, 2)).toBe(start + 60_000);
    elapse(1_000);
    expect(await limiter.block(get, 4)).toBe(start + 1_801_000);
    expect(await limiter.block(get, 4)).toBe(start + 1_801_000);
    elapse(60_000);
    expect(await limiter.block(get, 3)).toBe(start + 1_801_000);
    expect((await limiter.take(get)).rule).toBe('blocked');
  });
});

describe('settlement', () => {
  it('is by the last word of the handler', async () => {
    const { limiter, spend } = bench({ ratePerSecond: 10, burst: 2 });
    const user = { ...get, user: 'u1' };
    const verdict = await limiter.take({ ...user, cost: 10 });
    await limiter.settle(verdict, 18);
    await limiter.settle(verdict, 3);
    expect(await spend(user)).toBe(17);
  });

  it('of a refused or skipped call does nothing', async () => {
    const { limiter, spend } = bench({ ratePerSecond: 10, burst: 2, allow: { users: ['friend'] } });
    const user = { ...get, user: 'u1' };
    await spend(user);
    await limiter.settle(await limiter.take(user), 0);
    await limiter.settle(await limiter.take({ ...get, user: 'friend' }), 100);
    expect(await spend(user)).toBe(0);
  });

  it('is never below nothing', async () => {
    const { limiter } = bench();
    const verdict = await limiter.take(get);
    expect((await faultOf(() => limiter.settle(verdict, -1)))?.code).toBe('INPUT_INVALID');
  });
});

const addressOf = (index: number): string => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;

/** A store that fails when it is told to. */
function failingStore() {
  const store = createMemoryStore();
  const state = { code: null as 'STORE_FAILED' | 'RECORD_CORRUPT' | null, asked: 0 };
  const failing: Store = {
    view: (keys, look) => store.view(keys, look),
    transact: async (keys, step) => {
      state.asked += 1;
      if (state.code !== null) throw new Fault(state.code, 'as told');
      return store.transact(keys, step);
    },
    ping: () => store.ping(),
    held: (prefix) => store.held(prefix),
    close: () => store.close(),
  };
  return { failing, state };
}

describe('when the store fails', () => {
  it('limits go on in this process, and it is told', async () => {
    const { failing, state } = failingStore();
    const { limiter, spend, events } = bench({ store: failing, ratePerSecond: 4, burst: 2 });
    state.code = 'STORE_FAILED';
    expect(await limiter.take(get)).toMatchObject({ allowed: true, mode: 'FAIL_OPEN' });
    expect(await spend(get)).toBe(1);
    expect(events[0]).toMatchObject({ type: 'store-failed', code: 'STORE_FAILED', paused: false });
    expect(limiter.counts().storeFailures).toBe(3);
  });

  it('what this process alone has charged is neither given back nor added to by the store', async () => {
    const { failing, state } = failingStore();
    const { limiter } = bench({ store: failing, ratePerSecond: 16, burst: 2 });
    state.code = 'STORE_FAILED';
    const [less, more] = [await limiter.take(get), await limiter.take(get)];
    state.code = null;
    expect(await limiter.take(get)).toMatchObject({ mode: 'NORMAL', quota: { remaining: 7 } });
    await limiter.settle(less, 0);
    expect((await limiter.take(get)).quota?.remaining).toBe(6);
    await limiter.settle(more, 4);
    expect((await limiter.take(get)).quota?.remaining).toBe(5);
  });

  it('it is left alone after three failures, then tried by one call at a time', async () => {
    const { failing, state } = failingStore();
    const { limiter, elapse, events } = bench({ store: failing });
    state.code = 'STORE_FAILED';
    for (let i = 0; i < 50; i += 1) await limiter.take(get);
    expect(state.asked).toBe(3);
    elapse(5_000);
    await Promise.all(Array.from({ length: 50 }, () => limiter.take(get)));
    expect(state.asked).toBe(4);
    elapse(5_000);
    state.code = null;
    expect((await limiter.take(get)).mode).toBe('NORMAL');
    expect((await limiter.take(get)).mode).toBe('NORMAL');
    elapse(5_000);
    for (let i = 0; i < 3; i += 1) expect((await limiter.take(get)).mode).toBe('NORMAL');
    expect(events.filter(({ type }) => type === 'store-recovered')).toHaveLength(1);
  });

  it.each([
    ['users', (index: number): Call => ({ ...get, user: `u${index}` })],
    ['anonymous callers', (index: number): Call => ({ ...get, ip: addressOf(index) })],
  ])('any number of %s with one call each are served', async (_, callOf) => {
    const { failing, state } = failingStore();
    const { limiter, elapse, events } = bench({ store: failing });
    state.code = 'STORE_FAILED';
    for (let index = 0; index < 10_000; index += 1) {
      elapse(20);
      await limiter.take(callOf(index));
    }
    expect(events.filter(({ type }) => type === 'refused')).toEqual([]);
  });

  it('who finds no place is limited with the others, and nobody is blocked for them', async () => {
    const { failing, state } = failingStore();
    const { limiter, elapse, events } = bench({ store: failing });
    state.code = 'STORE_FAILED';
    for (let index = 0; index < 6_000; index += 1) await limiter.take({ ...get, user: `u${index}` });
    const rules = new Set(events.map((event) => (event.type === 'refused' ? event.rule : null)));
    expect([...rules]).toEqual([null, 'limit']);
    elapse(3_000);
    expect((await limiter.take({ ...get, user: 'new' })).allowed).toBe(true);
  });

  it('a network whose agents nobody can count is limited as one, and not blocked', async () => {
    const { failing, state } = failingStore();
    const { limiter, elapse, events } = bench({ store: failing });
    state.code = 'STORE_FAILED';
    for (let index = 0; index < 5_000; index += 1) {
      elapse(20);
      await limiter.take({ ...get, ip: addressOf(index) });
    }
    const office = (index: number): Call => ({ ...get, ua: `Mozilla/5.0 Firefox/${index}.0` });
    for (let index = 0; index < 400; index += 1) await limiter.take(office(index));
    const rules = new Set(events.flatMap((event) => (event.type === 'refused' ? [event.rule] : [])));
    expect([...rules]).toEqual(['limit']);
  });

  it('nobody gets a full bucket or out of a block by names that crowd the place', async () => {
    const { failing, state } = failingStore();
    const { limiter, spend, elapse } = bench({ store: failing, ratePerSecond: 1, burst: 4 });
    state.code = 'STORE_FAILED';
    const flooder = { ...get, user: 'flooder' };
    for (let index = 0; index < 60; index += 1) await limiter.take(flooder);
    const greedy = { ...get, user: 'greedy' };
    expect(await spend(greedy)).toBe(4);
    for (let index = 0; index < 9_000; index += 1) await limiter.take({ ...get, user: `u${index}` });
    expect((await limiter.take(greedy)).allowed).toBe(false);
    elapse(30_000);
    for (let index = 0; index < 9_000; index += 1) await limiter.take({ ...get, user: `v${index}` });
    expect(await limiter.take(flooder)).toMatchObject({ allowed: false, rule: 'blocked' });
  });

  it('what one call costs in the end is not charged to those who share its place', async () => {
    const { failing, state } = failingStore();
    const { limiter } = bench({ store: failing });
    const dear = await limiter.take({ ...get, user: 'dear' });
    state.code = 'STORE_FAILED';
    for (let index = 0; index < 4_096; index += 1) await limiter.take({ ...get, user: `u${index}` });
    await limiter.settle(dear, 1_000_000);
    expect((await limiter.take({ ...get, user: 'new' })).allowed).toBe(true);
  });

  it('an operator is told, not answered from here', async () => {
    const { failing, state } = failingStore();
    const { limiter } = bench({ store: failing });
    state.code = 'STORE_FAILED';
    expect((await faultOf(() => limiter.block(get)))?.code).toBe('STORE_FAILED');
    expect((await faultOf(() => limiter.lift(get)))?.code).toBe('STORE_FAILED');
  });

  it('a corrupt record is no failure of the store: it throws', async () => {
    const { failing, state } = failingStore();
    const { limiter } = bench({ store: failing });
    state.code = 'RECORD_CORRUPT';
    expect((await faultOf(() => limiter.take(get)))?.code).toBe('RECORD_CORRUPT');
  });
});

describe('warnings', () => {
  it('are not given for one process', () => {
    const warnings: Warning[] = [];
    bench({ warn: (warning) => warnings.push(warning) });
    expect(warnings).toEqual([]);
  });
});

describe('what others hold against a caller', () => {
  const held = (refillScale: number, refusedForMs: number): Call => ({
    ...get,
    standing: { refillScale, refusedForMs },
  });

  it('slows its refill, and nothing else', async () => {
    const { limiter, spend } = bench({ ratePerSecond: 40, burst: 2 });
    expect(await spend(held(0.25, 0))).toBe(20);
    expect(await limiter.take(held(0.25, 0))).toMatchObject({
      rule: 'limit',
      retryAfterMs: 400,
      quota: { capacity: 20 },
    });
    expect(await limiter.take(get)).toMatchObject({ rule: 'limit', retryAfterMs: 100 });
  });

  it('comes on top of what the service can bear, down to a tenth', async () => {
    const { limiter, spend } = bench({ ratePerSecond: 40, burst: 2, refillScale: () => 0.2 });
    await spend(held(0.25, 0));
    expect(await limiter.take(held(0.25, 0))).toMatchObject({ retryAfterMs: 1_000 });
  });

  it('refuses it without asking the store, and is counted', async () => {
    const { limiter, events } = bench();
    const verdict = await limiter.take(held(1, 5_000));
    expect(verdict).toMatchObject({ allowed: false, rule: 'blocked', retryAfterMs: 5_000, ticket: null });
    expect(verdict.quota).toMatchObject({ remaining: 0, moreInMs: 5_000 });
    expect(limiter.counts().refused.blocked).toBe(1);
    expect(events).toMatchObject([{ type: 'refused', rule: 'blocked', shadow: false }]);
    expect((await limiter.take(get)).quota?.remaining).toBe(6);
  });

  it('refuses also where auto-blocks are in shadow, but nobody on the allowlist', async () => {
    const { limiter, events } = bench({ shadow: ['auto-block'] });
    expect(await limiter.take(held(1, 5_000))).toMatchObject({ allowed: false, rule: 'blocked' });
    expect(events).toMatchObject([{ type: 'refused', rule: 'blocked', shadow: false }]);
    const friends = bench({ allow: { cidrs: ['203.0.113.0/24'] } });
    expect(await friends.limiter.take(held(1, 5_000))).toMatchObject({ allowed: true, skipped: 'cidr' });
  });
});
