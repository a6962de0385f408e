import { describe, expect, test } from 'vitest';
import { needsBody, outcomeOf } from './outcome.ts';
import { readTarget } from './target.ts';

const cookie = 'ory_kratos_session';
const set = (value: string) => ['Set-Cookie', 'csrf=1', 'set-cookie', `${cookie}=${value}`];
const to = (location: string) => ['Location', location];

describe('how a login has ended', () => {
  test.each([
    ['a session by cookie', 303, [...to('/'), ...set('abc; Path=/; HttpOnly')], '', 'success'],
    ['a session by cookie, to the flow', 303, [...to('/login?flow=1'), ...set('abc')], '', 'success'],
    ['a session by cookie, as JSON', 200, set('abc; Max-Age=3600'), '', 'success'],
    ['a session by token', 200, [], '{"session_token":"ory_st_x","session":{}}', 'success'],
    ['nothing of a session', 200, [], '{"session_token":""}', 'likely-success'],
    ['a cookie that is taken away', 200, set('; Max-Age=0'), '', 'likely-success'],
    ['a cookie that has run out', 303, [...to('/'), ...set('abc; max-age=0')], '', 'likely-success'],
    ['a redirection to the return URL', 303, to('https://app.example/?a=1'), '', 'likely-success'],
    ['a redirection back to the flow', 303, to('http://ui/login?flow=8f&x=1'), '', 'failure'],
    ['a redirection back to the flow, of old', 302, to('/login?a=b&flow=8f#x'), '', 'failure'],
    ['a redirection back to the flow, escaped', 303, to('/login?%66low=8f'), '', 'failure'],
    ['a redirection with a value of that name', 303, to('/?x=flow&flower=1'), '', 'likely-success'],
    ['the flow again, with messages', 400, [], '{"ui":{}}', 'failure'],
    ['a session cookie with an error', 400, set('abc'), '', 'failure'],
    ['a violation of CSRF', 403, [], '', 'unknown'],
    ['a flow that is over', 410, [], '', 'unknown'],
    ['a change of place', 422, [], '', 'unknown'],
    ['a fault', 500, [], '', 'unknown'],
  ] as const)('%s', (_, status, headers, body, outcome) => {
    expect(outcomeOf({ status, headers }, cookie, body)).toBe(outcome);
  });

  test('is seen in the body only where the head does not tell', () => {
    expect(needsBody({ status: 200, headers: [] }, cookie)).toBe(true);
    expect(needsBody({ status: 200, headers: set('abc') }, cookie)).toBe(false);
    expect(needsBody({ status: 400, headers: [] }, cookie)).toBe(false);
  });
});

test('a return URL that is not well encoded holds nobody up: it may be what a client has chosen', () => {
  const fastestMs = (query: string) => {
    const head = { status: 303, headers: to(`/?${query}`) };
    const times = Array.from({ length: 10 }, () => {
      const start = performance.now();
      outcomeOf(head, cookie, '');
      return performance.now() - start;
    });
    return Math.min(...times);
  };
  const fields = 16_000;
  expect(fastestMs('%ff&'.repeat(fields))).toBeLessThan(20 * fastestMs('%41&'.repeat(fields)));
});

describe('a target', () => {
  test.each([
    '/self-service/login',
    '/self-service/login/',
    '/self-service/login?flow=1',
    '/self-service/login/?flow=/x',
    '//self-service///login//',
    '/self-service/./login',
    '/x/../self-service/login',
    '/self-service/%6Cogin',
    '/%73elf-service%2Flogin',
    '/Self-Service/LOGIN',
    'http://kratos/self-service/login?flow=1',
    '/../kratos/self-service/login',
  ])('%s is the login', (url) => {
    expect(readTarget(url)?.isLogin).toBe(true);
  });

  test.each([
    '/',
    '/self-service/login/api',
    '/self-service/logins',
    '/self-service',
    '/login',
    '/x?/self-service/login',
  ])('%s is not', (url) => {
    expect(readTarget(url)).toMatchObject({ isLogin: false, path: url });
  });

  test.each([
    '/x#/../self-service/login',
    '/self-service/login#',
    '*',
    '',
    'self-service/login',
    'ftp://a/self-service/login',
    'a:80',
  ])('%j is none', (url) => {
    expect(readTarget(url)).toBeNull();
  });

  test('keeps its query apart', () => {
    expect(readTarget('/a?b=c?d')).toEqual({ path: '/a?b=c?d', query: 'b=c?d', isLogin: false });
    expect(readTarget('https://host?x=1')).toEqual({ path: '/?x=1', query: 'x=1', isLogin: false });
  });
});
