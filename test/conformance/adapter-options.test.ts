import { describe, expect, it } from 'vitest';
import { createScenarios } from '../../src/abuse/index.ts';
import * as express from '../../src/adapters/express/index.ts';
import * as fastify from '../../src/adapters/fastify/index.ts';
import * as fetch from '../../src/adapters/fetch/index.ts';
import * as hono from '../../src/adapters/hono/index.ts';
import * as http from '../../src/adapters/http/index.ts';
import * as koa from '../../src/adapters/koa/index.ts';
import { createCap, createCaps } from '../../src/concurrency/index.ts';
import { createDevices } from '../../src/device/index.ts';
import { createGuard } from '../../src/index.ts';
import { createLimiter } from '../../src/limits/index.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';

const secret = 'a secret of the tests';
const guard = createGuard({ secret });
const store = createMemoryStore();
const limiter = createLimiter({ secret, store });
const caps = createCaps();
const scenarios = createScenarios({ secret, store });

/** As a caller without types sees an adapter. */
type Untyped = Readonly<Record<'limit' | 'cap' | 'protect', (part: unknown, options?: unknown) => unknown>>;

const adapters = Object.entries({ express, fastify, fetch, hono, http, koa }) as unknown as [
  string,
  Untyped,
][];
/** What fetch cannot do without, and Hono takes. */
const peerOf = (name: string) => (name === 'fetch' || name === 'hono' ? { peer: () => null } : {});
const signIn = { account: () => 'a1', verify: () => true };
const clientOptions = { trustedProxies: ['10.0.0.0/8'], forwardingHeader: 'forwarded', warn: () => {} };

describe.each(adapters)('the options of %s', (name, { limit, cap, protect }) => {
  const peer = peerOf(name);

  it('are all known', () => {
    limit(limiter, {
      ...peer,
      ...clientOptions,
      user: () => null,
      skip: () => false,
      basePath: '/api',
      skipSuccessfulRequests: false,
      skipFailedRequests: true,
      requestWasSuccessful: () => true,
      scenarios,
      standardHeaders: true,
      legacyHeaders: true,
      handler: () => {},
    });
    cap(caps, { route: () => null, basePath: '/api', pressureHeader: false, handler: () => {} });
    const devices = createDevices({ secret });
    const sureness = { action: 'auth.otp', isLastFactor: false, devices };
    protect(guard, { ...peer, ...clientOptions, ...signIn, ...sureness, handler: () => {} });
  });

  it.each<[object, string]>([
    [{ lastFactor: false }, 'lastFactor is no option of protect: there are '],
    [{ trustProxy: true }, 'trustProxy is no option of protect'],
    [{ isLastFactor: 'false' }, 'isLastFactor must be true or false, got a string of 5 characters'],
    [{ account: 'email' }, 'account must be a function, got a string of 5 characters'],
    [{ verify: undefined }, 'verify must be a function, got nothing'],
    [{ action: 'auth.logn' }, 'action must be one of auth.login, auth.otp, got a string of 9 characters'],
    [{ action: 'api.heavy' }, 'action must be one of auth.login, auth.otp, got a string of 9 characters'],
    [{ action: 5 }, 'action must be a string, got an integer of 1 digit'],
    [{ devices: { secret } }, 'devices must be what createDevices gives, got an object'],
    [{ handler: 429 }, 'handler must be a function, got an integer of 3 digits'],
    [{ trustedProxies: '10.0.0.0/8' }, 'trustedProxies must be a list, got a string of 10 characters'],
    [{ trustedProxies: true }, 'trustedProxies must be a list, got the boolean true'],
  ])('of protect are refused by name: %j', (given, message) => {
    expect(() => protect(guard, { ...peer, ...signIn, ...given })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
    );
  });

  it.each<[object, string]>([
    [{ windowMs: 60_000 }, 'windowMs is no option of limit: there are '],
    [{ keyGenerator: () => 'key' }, 'keyGenerator is no option of limit'],
    [{ user: 'u1' }, 'user must be a function'],
    [{ skip: true }, 'skip must be a function'],
    [{ skipFailedRequests: 'false' }, 'skipFailedRequests must be true or false'],
    [{ standardHeaders: 'draft-8' }, 'standardHeaders must be true or false, got a string of 7 characters'],
    [{ basePath: 5 }, 'basePath must be a string'],
    [{ trustedProxies: 1 }, 'trustedProxies must be a list'],
    [
      { scenarios: { secret, store } },
      'scenarios must be what createScenarios gives, got an object without ',
    ],
    [{ scenarios: limiter }, 'scenarios must be what createScenarios gives, got an object without standing'],
    [{ scenarios: null }, 'scenarios must be what createScenarios gives, got null'],
  ])('of limit are refused by name: %j', (given, message) => {
    expect(() => limit(limiter, { ...peer, ...given })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
    );
  });

  it.each<[object, string]>([
    [{ limit: 10 }, 'limit is no option of cap: there are '],
    [{ route: 'read' }, 'route must be a function'],
    [{ pressureHeader: 'no' }, 'pressureHeader must be true or false'],
  ])('of cap are refused by name: %j', (given, message) => {
    expect(() => cap(caps, given)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
    );
  });

  it('come after what is asked', () => {
    for (const nothing of [undefined, {}, { secret }]) {
      expect(() => limit(nothing, peer)).toThrow(/^limiter must be what createLimiter gives, got /);
      expect(() => cap(nothing)).toThrow(/^caps must be what createCaps gives, got /);
      expect(() => protect(nothing, { ...peer, ...signIn })).toThrow(
        /^guard must be what createGuard gives, got /,
      );
    }
    expect(() => cap(createCap({ limit: 1 }))).toThrow(
      'caps must be what createCaps gives, got an object without cap',
    );
    for (const other of [store, guard, caps, scenarios]) {
      expect(() => limit(other, peer)).toThrow(
        'limiter must be what createLimiter gives, got an object without take',
      );
    }
    for (const other of [store, limiter, caps, scenarios]) {
      expect(() => protect(other, { ...peer, ...signIn })).toThrow(
        'guard must be what createGuard gives, got an object without check',
      );
    }
    expect(() => protect(guard)).toThrow('options of protect must be an object, got nothing');
  });
});

it.each<[object, string]>([
  [
    { forwardedHeader: 'forwarded' },
    'forwardedHeader is no option of a client address: there are trustedProxies, ',
  ],
  [{ trustProxy: true }, 'trustProxy is no option of a client address'],
  [{ warn: 'log' }, 'warn must be a function, got a string of 3 characters'],
])('those of a client address are refused by name: %j', (given, message) => {
  expect(() => http.createClientAddress(given)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
  );
});

it.each([undefined, '203.0.113.7'])('fetch handlers need a peer that is a function, not %j', (peer) => {
  const { limit, protect } = fetch as unknown as Untyped;
  expect(() => limit(limiter, { peer })).toThrow(/^peer must be a function, got /);
  expect(() => protect(guard, { ...signIn, peer })).toThrow(/^peer must be a function, got /);
});
