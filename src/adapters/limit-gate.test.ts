import { describe, expect, it } from 'vitest';
import { createScenarios } from '../abuse/index.ts';
import { createLimiter } from '../limits/index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { Arrival } from './arrival.ts';
import { LimitGate } from './limit-gate.ts';

const secret = 'sixteen bytes or more';
const caller = new AbortController().signal;

function arrival(method: string, path: string): Arrival {
  return { request: {}, method, path, peer: '203.0.113.7', header: () => undefined };
}

function gateAt(basePath: string) {
  const store = createMemoryStore();
  const routes = [{ method: 'GET', path: '/export', cost: 7 }];
  const limiter = createLimiter({ store, secret, routes });
  const scenarios = createScenarios({ store, secret });
  return new LimitGate<[]>(limiter, { scenarios, basePath }, () => caller);
}

describe('the gate of the limits', () => {
  it.each([
    ['at once', () => 'an admin'],
    ['later', async () => 'an admin'],
  ])('leaves a call alone for which skip says something, %s, as express-rate-limit does', async (_, skip) => {
    const limiter = createLimiter({ store: createMemoryStore(), secret });
    const gate = new LimitGate<[]>(limiter, { skip } as object, () => caller);
    expect(await gate.pass(arrival('GET', '/'))).toBeNull();
  });

  it.each(['GET', 'get', 'HEAD', 'head', 'Head'])('charges %s as the method that it is', async (method) => {
    const passage = await gateAt('/').pass(arrival(method, '/export'));
    expect(passage?.rateLimit.verdict).toMatchObject({ route: 'GET /export', cost: 7 });
    expect(passage?.watched?.method).toBe(method.toUpperCase());
  });

  it.each([
    '/api/export',
    '/API/Export/',
    '//api/api/export',
    '/\\api/api/export',
    '/api/x/../export',
    '/x/..;/api/export',
  ])('charges %s below a mount as the dearest that it may be', async (path) => {
    const passage = await gateAt('/api').pass(arrival('GET', path));
    expect(passage?.rateLimit.verdict).toMatchObject({ route: 'GET /export', cost: 7 });
  });

  it.each([
    ['/api/Read/AbC', '/Read/AbC'],
    ['/api/list?page=1', '/list?page=1'],
    ['/api/list?page=1#x?y', '/list?page=1'],
    ['/api/list#x?page=1', '/list'],
  ])('shows of %s below a mount what was asked for: %s', async (path, shown) => {
    const passage = await gateAt('/api').pass(arrival('GET', path));
    expect(passage?.watched?.path).toBe(shown);
  });
});
