import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultRoutes, type Route, RouteTable } from './route-table.ts';

const costOf = (method: string, path: string, routes: readonly Route[] = defaultRoutes) =>
  new RouteTable(routes, 1).find(method, path).cost;

describe('route costs', () => {
  it.each([
    ['GET', '/list', 1],
    ['GET', '/read/42', 1],
    ['PUT', '/create', 5],
    ['PATCH', '/update', 3],
    ['DELETE', '/delete', 3],
    ['POST', '/create', 1],
    ['PUT', '/creates', 1],
    ['PUT', '/create/more', 1],
    ['GET', '/', 1],
  ])('of %s %s by default: %d', (method, path, cost) => {
    expect(costOf(method, path)).toBe(cost);
  });

  it('come from the first route that matches', () => {
    const routes = [
      { method: 'GET', path: '/files/index', cost: 2 },
      { path: '/files/:name', cost: 7 },
      { method: 'GET', path: '/files/*', cost: 9 },
    ];
    expect(costOf('GET', '/files/index', routes)).toBe(2);
    expect(costOf('POST', '/files/index', routes)).toBe(7);
    expect(costOf('GET', '/files/a/b/c', routes)).toBe(9);
    expect(costOf('POST', '/files/a/b/c', routes)).toBe(1);
    expect(costOf('HEAD', '/files/index', routes)).toBe(2);
  });

  it.each(['get', 'Get', 'head', 'Head', 'HEAD'])(
    'are those of GET for a client that writes %s',
    (method) => {
      expect(costOf(method, '/export', [{ method: 'GET', path: '/export', cost: 20 }])).toBe(20);
    },
  );

  it.each([
    '/create/',
    '//create',
    '/CREATE',
    '/cre%61te',
    '/create?x=1',
    '/create#x',
    '/Create//?a=/b',
    '/create;v=1',
    'http://somewhere/create',
    'HTTPS://somewhere:8080/create?x',
    '/x/../create',
    '/./create',
    '/%2e/create',
    '/x/%2E%2e/create',
    '/x\\..\\create',
    '/create\\',
    '//host/create',
    '/a//../create',
    '/x/..;/create',
    '/x%2f..%2Fcreate',
    '/cre\tate',
    '/create\u00a0',
    '/create;/x',
    'http:///x/create',
    'http://create',
    '//create///..',
    '/create/%2E/..',
    'http:\\\\x\\create',
    'http://h\\create',
    'create',
  ])('are the same for every spelling: %s', (path) => {
    expect(costOf('PUT', path)).toBe(5);
  });

  it('take an encoded slash for part of its segment, as routers do', () => {
    expect(costOf('GET', '/items/a%2Fb', [{ path: '/items/:id', cost: 8 }])).toBe(8);
  });

  it('are not hidden by an encoded slash or a semicolon, which servers read in their own ways', () => {
    const routes = [
      { path: '/export/*', cost: 100 },
      { path: '/report/latest', cost: 1 },
      { path: '/report/:name', cost: 7 },
    ];
    expect(costOf('GET', '/export%2Fall', routes)).toBe(100);
    expect(costOf('PUT', '/create%2F')).toBe(5);
    expect(costOf('put', '/create')).toBe(5);
    expect(costOf('GET', '/report/;x', routes)).toBe(7);
    expect(costOf('GET', '/report/latest;x', routes)).toBe(7);
    expect(costOf('GET', '/report/latest', routes)).toBe(1);
  });

  it.each([
    ['/search/', 20],
    ['/search//', 20],
    ['/SEARCH/', 20],
    ['/search\\;abc', 20],
    ['/search\\;abc#', 20],
    ['http://h/search\\;abc', 20],
    ['/search', 1],
    ['/search/a/b', 1],
    ['/', 1],
  ])('count a parameter that some server may find in %s', (path, cost) => {
    const routes = [
      { path: '/search', cost: 1 },
      { path: '/search/:term', cost: 20 },
    ];
    expect(costOf('GET', path, routes)).toBe(cost);
    expect(costOf('GET', '/', [{ path: '/:page', cost: 30 }])).toBe(30);
  });

  it.each([
    '/files/STATUS',
    '/files/s%74atus',
    '/files/%73TATUS',
    '/files//status',
    '/files/status/',
    '/files/STATUS/',
    '//files/status',
    '/files/caf%c3%a9',
    '/files/%40me',
    '/Files/status',
  ])('are not those of a cheap route that a server may tell from %s', (path) => {
    const routes = [
      { path: '/files/status', cost: 0 },
      { path: '/files/café', cost: 0 },
      { path: '/files/@me', cost: 0 },
      { path: '/files/:name', cost: 20 },
      { path: '/*', cost: 20 },
    ];
    expect(costOf('GET', path, routes)).toBe(20);
  });

  it.each([
    '/files/status',
    '/files/Latest',
    '/files/caf%C3%A9',
    '/files/a%20b',
    '/files/old/',
    '/',
    '/read/Ab%2Fc',
  ])('are those of a cheap route for %s, which it is to the letter', (path) => {
    const routes = [
      { path: '/', cost: 0 },
      { path: '/files/status', cost: 0 },
      { path: '/files/Latest', cost: 0 },
      { path: '/files/café', cost: 0 },
      { path: '/files/a b', cost: 0 },
      { path: '/files/old/', cost: 0 },
      { path: '/read/:id', cost: 0 },
      { path: '/read/*', cost: 0 },
      { path: '/*', cost: 20 },
    ];
    expect(costOf('GET', path, routes)).toBe(0);
  });

  it('mind the case in which a route is written, as some servers do', () => {
    const routes = [
      { path: '/files/Latest', cost: 0 },
      { path: '/files/*', cost: 20 },
    ];
    expect(costOf('GET', '/files/latest', routes)).toBe(20);
  });

  it('do not change once a path with letters beyond ASCII has been read often', () => {
    const table = new RouteTable([{ path: '/create', cost: 5 }], 1);
    const sent = (text: string) => Buffer.from(text, 'latin1').toString('latin1');
    const costs = new Set<number>();
    for (let i = 0; i < 20_000; i += 1) costs.add(table.find('PUT', sent(`//\u00e9${i}/create`)).cost);
    expect([...costs]).toEqual([5]);
  });

  it('are those of the dearest route for a path that takes too long to read in all ways', () => {
    const path = `/list${'/a;b\\c%2Fd/..//%2e/e%61'.repeat(600)}`;
    expect(costOf('PUT', path)).toBe(5);
    expect(costOf('DELETE', path)).toBe(3);
    expect(costOf('GET', `/list${'/a'.repeat(7_000)}//b`, [{ path: '/export', cost: 100 }])).toBe(1);
  });

  it('are the dearest of all paths, where a call may have several', () => {
    const table = new RouteTable([...defaultRoutes, { path: '/login', signIn: true }], 1);
    expect(table.find('PUT', '/x', ['/y', '/create']).cost).toBe(5);
    expect(table.find('PUT', '/create', ['/x']).cost).toBe(5);
    expect(table.find('PUT', '/create', ['/login'])).toMatchObject({ cost: 5, signIn: true });
  });

  it('are the dearest of all that a path may be read as', () => {
    const routes = [
      { path: '/list', cost: 2 },
      { path: '/files/*', cost: 9 },
    ];
    expect(costOf('GET', '/files/../list', routes)).toBe(9);
    expect(costOf('GET', '/list/../files/a', routes)).toBe(9);
    expect(costOf('GET', '/x/../list', routes)).toBe(2);
    expect(new RouteTable(routes, 4).find('GET', '/x/../list').cost).toBe(4);
    expect(new RouteTable([{ path: '/free', cost: 0 }], 1).find('GET', '/free/../other').cost).toBe(1);
  });

  it('hide the quota when one of the readings is a sign-in', () => {
    const table = new RouteTable(
      [
        { path: '/login', signIn: true },
        { path: '/files/*', cost: 3 },
      ],
      1,
    );
    expect(table.find('POST', '/./login')).toEqual(table.find('POST', '/login'));
    expect(table.find('POST', '/files/../login')).toMatchObject({ name: '/files/*', cost: 3, signIn: true });
  });

  it('are never thrown off by a path', () => {
    const table = new RouteTable([...defaultRoutes, { path: '/x/:y/*', cost: 2 }], 1);
    fc.assert(
      fc.property(
        fc.string(),
        fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) }),
        (method, path) => {
          expect([1, 2, 3, 5]).toContain(table.find(method, path).cost);
        },
      ),
    );
  });

  it('name the route, and whether it is a sign-in route', () => {
    const table = new RouteTable([{ method: 'post', path: '/login', signIn: true }], 4);
    expect(table.find('POST', '/login')).toMatchObject({ name: 'POST /login', cost: 1, signIn: true });
    expect(table.find('GET', '/login')).toEqual({ name: 'other', cost: 4, signIn: false });
  });

  it.each([
    [{ path: 'list' }, 'routes[0].path must start with "/"'],
    [{ path: '/x', cost: -1 }, 'routes[0].cost must be a whole number'],
    [{ path: '/x', cost: 1.5 }, 'routes[0].cost must be a whole number'],
    [{ path: '/x', method: 'GET /x' }, 'routes[0].method must be an HTTP method'],
    [{ path: '/x', method: 'head' }, 'routes[0].method must be GET where HEAD is meant, which counts as GET'],
  ])('are checked when they are given: %j', (route, message) => {
    expect(() => new RouteTable([route], 1)).toThrow(message);
  });

  it.each([
    '/files/*path',
    '/files/*/parts',
    '/files*',
    '/(.*)',
    '/users{/:id}',
    '/users/:id?',
    '/users/:id(\\d+)',
    '/users/:id{[0-9]+}',
    '/users/:id+',
    '/(users|people)',
    '/search?q=x',
    '/@:user',
    '/files/img-:size.png',
  ])('are refused where only a router of another kind would understand them: %s', (path) => {
    expect(() => new RouteTable([{ path, cost: 20 }], 1)).toThrow('routes[0].path must have ":name" for');
  });

  it.each([
    ['/', '/'],
    ['/*', '/anything/at/all'],
    ['/files/*/', '/files/a/b'],
    ['/Products(1)', '/Products(1)'],
    ['/v1/books:search', '/v1/books:search'],
    ['/flights/:from-:to', '/flights/lhr-jfk'],
    ['/read/:id.json', '/read/17.json'],
    ["/~joe/it's+me,you@home!$&=;x", "/~joe/it's+me,you@home!$&=;x"],
    ['/caf\u00e9/%2A%3F', '/caf%C3%A9/%2A%3F'],
  ])('may be %s, for %s', (path, asked) => {
    expect(new RouteTable([{ path, cost: 20 }], 1).find('GET', asked).cost).toBe(20);
  });
});
