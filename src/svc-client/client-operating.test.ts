import { describe, expect, it } from 'vitest';
import {
  inVirtualTime,
  simulateClient,
  testKeys,
} from '../../test/simulation/svc-client/simulated-client.ts';
import type { PinOrder } from './index.ts';

const options = { self: 'orders@1', keys: testKeys };
const slow = { pool: { ratePerSecond: 1, burst: 1 } };

function hosted(...args: Parameters<typeof simulateClient>) {
  const world = simulateClient(...args);
  world.network.host('http://stock', async () => ({ status: 200 }));
  const ask = async () => {
    const result = await inVirtualTime(world.clock, world.client.call('stock@1'));
    return result.ok ? result.response.status : result.denied.reason;
  };
  return { ...world, ask };
}

describe('shadow', () => {
  it('decides and tells, but lets pass', async () => {
    const { ask, told, client } = hosted(slow, { shadow: ['target-rate'] });
    expect(await ask()).toBe(200);
    expect(await ask()).toBe(200);
    expect(told.denied).toMatchObject([{ denial: { reason: 'target-rate' }, shadow: true }]);
    expect(client.health().targets[0]?.denied).toEqual({});
  });

  it('holds for breakers', async () => {
    const { ask, client, network, told } = hosted(
      {},
      { shadow: ['target-breaker', 'global-breaker'], retries: 0 },
    );
    network.setUp('http://stock', false);
    for (let i = 0; i < 5; i += 1) await expect(ask()).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE' });
    network.setUp('http://stock', true);
    client.reportSaturation('database');
    expect(await ask()).toBe(200);
    expect(told.denied.map(({ denial }) => denial.reason)).toEqual(['target-breaker', 'global-breaker']);
  });

  it('of one rule leaves the others in force', async () => {
    const { ask } = hosted(slow, { shadow: ['global-rate'] });
    await ask();
    expect(await ask()).toBe('target-rate');
  });
});

describe('a pin', () => {
  it('sets the limit for a time and leaves an audit trail', async () => {
    const { ask, client, clock, told } = hosted();
    client.pin('stock@1', { ratePerSecond: 1, burst: 1 }, { by: 'op-7', why: 'incident', forMs: 60_000 });
    expect(await ask()).toBe(200);
    expect(await ask()).toBe('target-rate');
    expect(client.health().targets[0]?.pinned?.policy).toEqual({ ratePerSecond: 1, burst: 1 });
    await clock.advance(60_000);
    for (let i = 0; i < 10; i += 1) expect(await ask()).toBe(200);
    expect(client.health().targets[0]?.pinned).toBeNull();
    const pinned = { act: 'pin', target: 'stock@1', by: 'op-7', why: 'incident', forMs: 60_000 };
    expect(told.audit).toEqual([pinned]);
  });

  it('can be taken away', async () => {
    const { ask, client, told } = hosted();
    client.pin('stock@1', { ratePerSecond: 1, burst: 1 }, { by: 'op-7', why: 'incident', forMs: 60_000 });
    client.unpin('stock@1', { by: 'op-8', why: 'over' });
    for (let i = 0; i < 10; i += 1) expect(await ask()).toBe(200);
    expect(told.audit[1]).toEqual({ act: 'unpin', target: 'stock@1', by: 'op-8', why: 'over', forMs: 0 });
  });

  it('that raises a limit is not waited for', async () => {
    const { ask, client } = hosted({ pool: { ratePerSecond: 1, burst: 20 } });
    for (let i = 0; i < 20; i += 1) await ask();
    expect(await ask()).toBe('target-rate');
    client.pin('stock@1', { ratePerSecond: 1_000, burst: 30 }, { by: 'op-7', why: 'sale', forMs: 60_000 });
    expect(await ask()).toBe(200);
  });

  it('that lowers a limit is waited for as long as its rate says', async () => {
    const { ask, client, clock } = hosted({ pool: { ratePerSecond: 9_000, burst: 20 } });
    const burst = Array.from({ length: 20 }, () => client.call('stock@1'));
    await inVirtualTime(clock, Promise.all(burst));
    client.pin('stock@1', { ratePerSecond: 1, burst: 1 }, { by: 'op-7', why: 'incident', forMs: 60_000 });
    await clock.advance(1_000);
    expect(await ask()).toBe(200);
    expect(await ask()).toBe('target-rate');
  });

  it('outlasts new options, which count once it has ended', async () => {
    const { ask, client, clock } = hosted({ pool: { ratePerSecond: 1_000, burst: 20 } });
    client.pin('stock@1', { ratePerSecond: 1, burst: 1 }, { by: 'op-7', why: 'incident', forMs: 60_000 });
    const pool = { ratePerSecond: 1_000, burst: 30 };
    await client.reconfigure({ ...options, targets: { 'stock@1': { url: 'http://stock', pool } } });
    expect([await ask(), await ask()]).toEqual([200, 'target-rate']);
    await clock.advance(60_000);
    for (let i = 0; i < 30; i += 1) expect(await ask()).toBe(200);
  });

  it('gives the configured limit back when it ends, whoever was refused meanwhile', async () => {
    const { ask, client, clock } = hosted({ pool: { ratePerSecond: 1_000, burst: 20 } });
    client.pin('stock@1', { ratePerSecond: 1, burst: 20 }, { by: 'op-7', why: 'incident', forMs: 1_000 });
    for (let i = 0; i < 20; i += 1) await ask();
    expect(await ask()).toBe('target-rate');
    await clock.advance(1_000);
    expect(await ask()).toBe(200);
  });

  it('has to make sense', () => {
    const { client } = hosted();
    const order = { by: 'op-7', why: 'incident', forMs: 1 };
    expect(() => client.pin('stock@1', { ratePerSecond: 0, burst: 1 }, order)).toThrow('pool.ratePerSecond');
    const burstOnly: { ratePerSecond: number; burst: number } = JSON.parse('{"burst":1}');
    expect(() => client.pin('stock@1', burstOnly, order)).toThrow(
      'pool.ratePerSecond: expected a whole number from 1 to 1000000, got nothing',
    );
    expect(client.health().targets[0]?.pinned).toBeNull();
    expect(() => client.pin('other@1', { ratePerSecond: 1, burst: 1 }, order)).toThrow('not a target');
  });

  it.each([
    { by: '' },
    { by: ' ' },
    { by: undefined },
    { why: 5 },
    { why: 'x'.repeat(501) },
    { forMs: undefined },
    { forMs: Number.NaN },
    { forMs: Number.POSITIVE_INFINITY },
    { forMs: 0 },
  ])('says who, why and for how long: not %j', async (wrong) => {
    const { client, told } = hosted();
    const order = { by: 'op-7', why: 'incident', forMs: 1, ...wrong } as PinOrder;
    const pin = () => client.pin('stock@1', { ratePerSecond: 1, burst: 1 }, order);
    const field = Object.keys(wrong).join();
    expect(pin).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
    expect(pin).toThrow(field);
    if (field !== 'forMs') expect(() => client.unpin('stock@1', order)).toThrow(field);
    expect(told.audit).toEqual([]);
    expect(client.health().targets[0]?.pinned).toBeNull();
  });
});

describe('new options', () => {
  it('take effect without losing what was seen', async () => {
    const { ask, client, network, told } = hosted({}, { retries: 0 });
    network.setUp('http://stock', false);
    for (let i = 0; i < 5; i += 1) await expect(ask()).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE' });
    const targets = { 'stock@1': { url: 'http://stock', timeoutMs: 5 }, 'bills@2': { url: 'http://bills' } };
    await client.reconfigure({ ...options, targets });
    expect(await ask()).toBe('target-breaker');
    expect(client.health().targets.map(({ target }) => target)).toEqual(['stock@1', 'bills@2']);
    expect(told.reconfigured).toEqual([{ targets: 2 }]);
  });

  it('change limits and addresses', async () => {
    const { ask, client, network } = hosted();
    network.host('http://elsewhere', async () => ({ status: 201 }));
    await client.reconfigure({ ...options, targets: { 'stock@1': { url: 'http://elsewhere', ...slow } } });
    expect(await ask()).toBe(201);
    expect(await ask()).toBe('target-rate');
    expect(network.connected).toEqual(['http://elsewhere']);
  });

  it('that raise a limit are not waited for, of a target as of all', async () => {
    const pool = { ratePerSecond: 1, burst: 20 };
    const { ask, client } = hosted({ pool }, { globalPool: pool });
    for (let i = 0; i < 20; i += 1) await ask();
    expect(await ask()).toBe('target-rate');
    const raised = { ratePerSecond: 1_000, burst: 30 };
    const targets = { 'stock@1': { url: 'http://stock', pool: raised } };
    await client.reconfigure({ ...options, globalPool: pool, targets });
    expect(await ask()).toBe('global-rate');
    await client.reconfigure({ ...options, globalPool: raised, targets });
    expect(await ask()).toBe(200);
  });

  it('keep the connections of two URLs of one origin apart', async () => {
    const { client, network } = hosted();
    const targets = { 'stock@1': { url: ['http://stock/a', 'http://stock/b'] } };
    for (let times = 0; times < 2; times += 1) {
      await client.reconfigure({ ...options, targets });
      expect(network.connected).toEqual(['http://stock', 'http://stock']);
    }
    await client.reconfigure({ ...options, targets: { 'stock@1': { url: 'http://stock/b' } } });
    expect(network.connected).toEqual(['http://stock']);
  });

  it('keep connections to an address that stays, unless their number changes', async () => {
    const { client, network } = hosted();
    const url = ['http://stock/v2', 'http://more'];
    await client.reconfigure({ ...options, targets: { 'stock@1': { url } } });
    expect(network.connected).toEqual(['http://stock', 'http://more']);
    await client.reconfigure({ ...options, targets: { 'stock@1': { url: 'http://stock', connections: 2 } } });
    expect(network.connected).toEqual(['http://stock']);
  });

  it('may take a target away', async () => {
    const { client, network } = hosted();
    await client.reconfigure({ ...options, targets: { 'bills@2': { url: 'http://bills' } } });
    await expect(client.call('stock@1')).rejects.toMatchObject({ code: 'TARGET_UNKNOWN' });
    expect(network.connected).toEqual(['http://bills']);
  });

  it('that are bad are refused as a whole; the last good ones stay', async () => {
    const { ask, client } = hosted();
    const bad = client.reconfigure({
      ...options,
      retries: -1,
      targets: { 'bills@2': { url: 'http://bills' } },
    });
    await expect(bad).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(await ask()).toBe(200);
  });
});

describe('events', () => {
  it('are told until the listener is removed', async () => {
    const { ask, client } = hosted();
    const seen: number[] = [];
    const stop = client.on('call', ({ attempts }) => seen.push(attempts));
    await ask();
    stop();
    await ask();
    expect(seen).toEqual([1]);
  });

  it('never break a call: a listener that throws, at once or later, becomes one warning', async () => {
    const { ask, client } = hosted();
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    const failing = () => {
      throw new TypeError('listener failed');
    };
    client.on('call', failing);
    client.on('call', async () => failing());
    for (let i = 0; i < 3; i += 1) expect(await ask()).toBe(200);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', note);
    expect(warnings).toMatchObject([
      { code: 'PORTCULLIS_LISTENER', detail: expect.stringContaining('listener failed') },
    ]);
  });

  it('carry no path, header or body', async () => {
    const { client, clock, told, network } = hosted();
    network.host('http://stock', async () => ({
      status: 503,
      headers: { 'set-cookie': 'anna' },
      body: 'anna',
    }));
    const request = { path: '/users/anna?mail=anna', headers: { authorization: 'anna' }, body: 'anna' };
    await inVirtualTime(clock, client.call('stock@1', { method: 'PUT', ...request }));
    expect(told.call).toHaveLength(1);
    expect(JSON.stringify(told)).not.toContain('anna');
  });
});

describe('a closed client', () => {
  it.each(['close', 'remove its target'])('lets a call wait for its retry: %s', async (how) => {
    const { client, clock, network } = hosted();
    const statuses = [503];
    network.host('http://stock', async () => ({ status: statuses.shift() ?? 200 }));
    const running = client.call('stock@1');
    await clock.advance(10);
    expect(network.arrivals('http://stock')).toBe(1);
    const targets = { 'other@1': { url: 'http://other' } };
    const closing = how === 'close' ? client.close() : client.reconfigure({ ...options, targets });
    const closed: string[] = [];
    closing.then(() => closed.push('closed'));
    running.then(() => closed.push('answered'));
    expect(await inVirtualTime(clock, running)).toMatchObject({ attempts: 2, response: { status: 200 } });
    await closing;
    expect(closed).toEqual(['answered', 'closed']);
    expect(network.connected).toEqual(how === 'close' ? [] : ['http://other']);
    await client.close();
  });

  it('makes no more calls', async () => {
    const { client, network } = hosted();
    await client.close();
    expect(network.connected).toEqual([]);
    await expect(client.call('stock@1')).rejects.toMatchObject({ code: 'CLIENT_CLOSED' });
  });
});
