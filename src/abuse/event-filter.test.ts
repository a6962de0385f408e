import { describe, expect, it } from 'vitest';
import { compileFilter } from './event-filter.ts';
import { createFactReader } from './facts.ts';
import { createHeaderReader } from './header-view.ts';
import { isAsset, shapeOfPath } from './path-shape.ts';
import type { RequestEvent } from './request-event.ts';
import type { EventFilter } from './scenario.ts';

const { read } = createFactReader();
/** As long as servers let a target be, nearly. */
const padding = `pad=${'x'.repeat(14_000)}`;
const deep: EventFilter = { query: [{ names: ['page'], from: 120 }] };
const event: RequestEvent = {
  method: 'GET',
  path: '/users/42/orders?Page=120&offset=x',
  status: 404,
  ip: '203.0.113.7',
  ua: 'Mozilla/5.0 Chrome/119.0',
  headerNames: ['Host', 'User-Agent', 'X-Odd'],
};

describe('a filter', () => {
  it.each<[EventFilter, Partial<RequestEvent>, boolean]>([
    [{}, {}, true],
    [{ methods: ['get'] }, { method: 'HEAD' }, true],
    [{ methods: ['GET'] }, { method: 'get' }, true],
    [{ methods: ['GET'] }, { method: 'Head' }, true],
    [{ methods: ['POST'] }, { method: 'get' }, false],
    [{ methods: ['POST'] }, {}, false],
    [{ status: ['404'] }, {}, true],
    [{ status: ['4xx'] }, {}, true],
    [{ status: ['400', '2xx'] }, {}, false],
    [{ status: ['4xx'] }, { status: null }, false],
    [{ signedIn: false }, {}, true],
    [{ signedIn: true }, { user: 'u1' }, true],
    [{ paths: ['/users/:id/*'] }, {}, true],
    [{ paths: ['/users/:id'] }, {}, false],
    [{ notPaths: ['/users/*'] }, {}, false],
    [{ paths: ['/Users/:id/orders'] }, { path: '//users/%34%32/ORDERS/' }, true],
    [{ headers: { with: ['x-odd'] } }, {}, true],
    [{ headers: { without: ['x-odd'] } }, {}, false],
    [{ headers: { without: ['cookie'] } }, { headerNames: null }, false],
    [{ query: [{ names: ['page'], from: 120 }] }, {}, true],
    [{ query: [{ names: ['page'], from: 121 }] }, {}, false],
    [{ query: [{ names: ['offset'], from: 0 }] }, {}, false],
    [{ query: [{ names: ['cursor', 'offset'] }] }, {}, true],
    [{ query: [{ names: ['page'] }, { names: ['page'], from: 500 }] }, {}, true],
    [
      {
        query: [
          { names: ['page'], from: 500 },
          { names: ['page'], from: 100 },
        ],
      },
      {},
      true,
    ],
    [
      {
        query: [
          { names: ['page'], from: 100 },
          { names: ['page'], from: 500 },
        ],
      },
      {},
      true,
    ],
    [{ query: [{ names: ['page'], from: 120, below: 121 }] }, {}, true],
    [{ query: [{ names: ['page'], below: 120 }] }, {}, false],
    [{ query: [{ names: ['page'], below: 121 }] }, {}, true],
    [{ query: [{ names: ['offset'], below: 121 }] }, {}, false],
    [{ query: [{ names: ['page'] }] }, { path: '/users/page' }, false],
    [{ assets: false }, {}, true],
    [{ assets: true }, { path: '/app.JS?v=1' }, true],
    [{ assets: true }, { path: '/users/17#.js' }, false],
    [{ assets: true }, { path: '/users/17?x#.js' }, false],
    [{ assets: true }, { path: 'http://host.js?x' }, false],
    [{ query: [{ names: ['page'], from: 120 }] }, { path: '/list?page=120#' }, true],
    [{ query: [{ names: ['page'], from: 120 }] }, { path: '/list?page=%31%32%30' }, true],
    [{ query: [{ names: ['page'] }] }, { path: '/list#?page=120' }, false],
    [{ query: [{ names: ['page'], from: 120 }] }, { path: '/list?page=120x' }, true],
    [{ query: [{ names: ['page'], from: 120 }] }, { path: '/list?page=+120,5' }, true],
    [{ query: [{ names: ['page'], from: 120 }] }, { path: '/list?page=0x78' }, true],
    [{ query: [{ names: ['page'], from: 120 }] }, { path: '/list?page=12x120' }, false],
    [{ query: [{ names: ['page'], from: 120 }] }, { path: '/list?page=x120' }, false],
    [{ query: [{ names: ['page'], from: 120 }] }, { path: '/list?page[]=120' }, true],
    [{ query: [{ names: ['page'], from: 120 }] }, { path: '/list?Page%5B0%5D=120' }, true],
    [{ query: [{ names: ['page'], from: 120 }] }, { path: '/list?page[size]=120' }, false],
    [{ query: [{ names: ['page[number]'], from: 120 }] }, { path: '/list?page[number]=120' }, true],
    [{ query: [{ names: ['from'], from: 2_000, below: 1e7 }] }, { path: '/list?from=2026-11-17' }, false],
    [{ id: true }, { path: '/users/12#' }, true],
    [{ id: true }, { path: '/users/%31%32' }, true],
    [{ id: true }, {}, true],
    [{ id: true }, { path: '/about-us' }, false],
  ])('%j of %j is %s', (filter, change, matches) => {
    expect(compileFilter(filter).matches(read({ ...event, ...change }))).toBe(matches);
  });

  it.each<[string, EventFilter, string, boolean]>([
    ['behind much else', deep, `/list?${padding}&page=120`, true],
    ['before much else', deep, `/list?page=120&${padding}`, true],
    ['behind more than servers take', deep, `/list?${padding}&${padding}&page=120`, true],
    ['before more than servers take', deep, `/list?page=120&${padding}&${padding}`, true],
    ['in a value', deep, `/list?x=${'page=120='.repeat(4_000)}`, false],
    ['behind a long way', { paths: ['/files/*'] }, `/${'x/../'.repeat(1_000)}files/a`, true],
    ['at the end of a long path', { assets: true }, `/${'x'.repeat(8_000)}/app.js`, true],
  ])('reads what stands %s', (_, filter, path, matches) => {
    expect(compileFilter(filter).matches(read({ ...event, path }))).toBe(matches);
  });

  it('is about who calls, apart from what is called', () => {
    const filter = compileFilter({ methods: ['POST'], signedIn: false });
    expect(filter.concerns(read(event))).toBe(true);
    expect(filter.concerns(read({ ...event, user: 'u1' }))).toBe(false);
  });
});

describe('what an event shows', () => {
  const long = 'x'.repeat(16_000);

  it.each(['path', 'target'] as const)('tells a %s apart by all of it', (kind) => {
    const shown = (path: string) => read({ ...event, path }).valueOf(kind);
    expect(shown(`/${long}/1`)).not.toBe(shown(`/${long}/2`));
  });

  it.each([
    ['path', '/list?page=1#x', '/list'],
    ['path', '/list#x?page=1', '/list'],
    ['path', '/list%23x', '/list%23x'],
    ['target', '/list?page=1#x#y', '/list?page=1'],
    ['target', '/list?page=1%23x', '/list?page=1%23x'],
    ['target', 'http://anybody:80/list?page=1', '/list?page=1'],
  ] as const)('has no %s but what a server is asked for: %s', (kind, path, shown) => {
    expect(read({ ...event, path }).valueOf(kind)).toBe(shown);
  });

  it('is of a query no more than is worth reading', () => {
    const { query } = read({ ...event, path: `/list?first=1&${'a=b&'.repeat(100_000)}last=1` });
    expect([query.at(0), query.at(-1)]).toEqual([
      ['first', '1'],
      ['last', '1'],
    ]);
    expect(query.length).toBeLessThan(5_000);
  });
});

describe('the shape of a path', () => {
  it.each([
    ['/', '/', null],
    ['/users/42', '/users/:id', '42'],
    ['/users/42/orders/7', '/users/:id/orders/:id', '42/7'],
    ['/o/3f2504e0-4f89-11d3-9a0c-0305e82c3301', '/o/:id', '3f2504e0-4f89-11d3-9a0c-0305e82c3301'],
    ['/d/c0ffee42', '/d/:id', 'c0ffee42'],
    ['/@somebody', '/:id', '@somebody'],
    ['/docs/getting-started', '/docs/getting-started', null],
    ['/api/v2/list', '/api/v2/list', null],
  ])('of %s is %s', (path, route, id) => {
    expect(shapeOfPath(path)).toEqual({ route, id });
  });

  it.each([
    '/users/%34%32',
    '/users/4%32/',
    '//USERS/42',
    '/./users//x/../42',
    '/%75sers;v=1/42;v=2',
    `/${'./'.repeat(1_000)}users${'/'.repeat(1_000)}42`,
  ])('is the same for every spelling: %s', (path) => {
    expect(shapeOfPath(path)).toEqual({ route: '/users/:id', id: '42' });
  });

  it('tells ids apart that differ in their case', () => {
    expect(shapeOfPath('/Files/aB3dE5gH7jK9').id).toBe('aB3dE5gH7jK9');
  });

  it('keeps one segment one, whatever is encoded in it', () => {
    expect(shapeOfPath('/a%2Fb/@x%2fy')).toEqual({ route: '/a%2fb/:id', id: '@x%2Fy' });
    expect(shapeOfPath('/a%252Fb').route).not.toBe(shapeOfPath('/a%2Fb').route);
  });

  it('takes a segment that is not well encoded as it is', () => {
    expect(shapeOfPath('/users/%3142%zz/%34')).toEqual({ route: '/users/%253142%25zz/:id', id: '4' });
  });

  it('is found in time linear in the path, however it was made', () => {
    const path = `/${'a1-'.repeat(20_000)}/${'/'.repeat(20_000)}`;
    expect(shapeOfPath(path).route.length).toBeLessThan(100);
    expect(isAsset(`${path}.${'.j'.repeat(10_000)}`)).toBe(false);
  });
});

describe('a file that pages are made of', () => {
  it.each([
    ['/app.js', true],
    ['/app%2Ejs', true],
    ['/app.j%73', true],
    ['/100%.js', true],
    ['/app.js;v=1', true],
    ['/app.js/', false],
    ['/app.js/17', false],
    ['/users/17;.js', false],
    ['/users/17;a.b;c.js', false],
    ['/users/17%3B.js', false],
    ['/users/17%3b%2ejs', false],
    ['/users/17;/app.js', false],
    ['/users;v=1.js/17', false],
    ['/app.js;/users/17', false],
    ['', false],
  ])('is %s: %s', (path, is) => {
    expect(isAsset(path)).toBe(is);
  });
});

describe('the view of headers', () => {
  const view = createHeaderReader();

  it('tells orders apart, and not spellings or what changes with the page', () => {
    const order = view(['Host', 'User-Agent', 'Accept-Encoding']).order;
    expect(
      view(['host', 'USER-AGENT', 'Referer', 'accept-encoding', 'Cookie', 'X-Forwarded-For']).order,
    ).toBe(order);
    expect(view([':method', ':path', 'user-agent', 'accept-encoding']).order).toBe(order);
    expect(view(['Host', 'Accept-Encoding', 'User-Agent']).order).not.toBe(order);
    expect(view(['Host', 'User-Agent']).order).not.toBe(order);
  });

  it('is bounded, whatever is sent', () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `x-${index}-${'y'.repeat(1_000)}`);
    expect(view(names).order.length).toBeLessThanOrEqual(64 * 65);
  });
});
