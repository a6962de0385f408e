import { describe, expect, it } from 'vitest';
import { createCaps, PRESSURE_HEADER } from '../concurrency/index.ts';
import type { Arrival } from './arrival.ts';
import { CapGate, type CapGateOptions } from './cap-gate.ts';

const caller = new AbortController().signal;

function arrival(method: string, path: string): Arrival {
  return { request: {}, method, path, peer: null, header: () => undefined };
}

function gateWith(options: CapGateOptions<[]> = {}) {
  const caps = createCaps({ routes: { export: { limit: 1, queue: 1 } } });
  return { caps, gate: new CapGate<[]>(caps, options) };
}

describe('the gate of the caps', () => {
  it.each([
    ['GET', '/list', 'read'],
    ['POST', '/list', 'create'],
    ['POST', '/healthz', 'create'],
  ])('takes a slot for %s %s where %s has them', async (method, path, route) => {
    const { caps, gate } = gateWith();
    await gate.pass(arrival(method, path), caller);
    expect(caps.cap(route).status).toMatchObject({ running: 1, healthChecks: 0 });
  });

  it.each(['/healthz', '/healthz?x=1', 'http://host/healthz', '/api/healthz', '/API//healthz'])(
    'knows a health check by %s',
    async (path) => {
      const { caps, gate } = gateWith({ basePath: '/api' });
      await gate.pass(arrival('GET', path), caller);
      expect(caps.cap('read').status).toMatchObject({ running: 0, healthChecks: 1 });
    },
  );

  it('takes no slot where the route is none', async () => {
    const { caps, gate } = gateWith({ route: async () => null });
    expect(await gate.pass(arrival('GET', '/list'), caller)).toBeNull();
    expect(caps.cap('read').status.running).toBe(0);
  });

  it('goes by the route, the priority and the deadline that it is given', async () => {
    const { caps, gate } = gateWith({ route: () => ({ route: 'export', deadlineMs: 0 }) });
    const denied = await gate.pass(arrival('GET', '/list'), caller);
    expect(denied?.refusal?.status).toBe(503);
    const health = gateWith({ route: () => ({ route: 'export', priority: 'health' }) });
    await health.gate.pass(arrival('GET', '/list'), caller);
    expect(health.caps.cap('export').status).toMatchObject({ running: 0, healthChecks: 1 });
    expect(caps.cap('export').status).toMatchObject({ running: 0, healthChecks: 0 });
  });

  it('rejects for a route that there is not', async () => {
    const { gate } = gateWith({ route: () => ({ route: 'imports' }) });
    await expect(gate.pass(arrival('GET', '/list'), caller)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('rejects for a field that there is not, by its name', async () => {
    const choice = { route: 'export', deadlineMS: 5 };
    const { caps, gate } = gateWith({ route: () => choice });
    await expect(gate.pass(arrival('GET', '/list'), caller)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining('deadlineMS'),
    });
    expect(caps.cap('export').status.running).toBe(0);
  });

  it('refuses a client that has left already', async () => {
    const { caps, gate } = gateWith();
    const passage = await gate.pass(arrival('GET', '/list'), AbortSignal.abort());
    expect(passage?.slot).toBeNull();
    expect(caps.cap('read').status.running).toBe(0);
  });

  it('keeps the pressure to itself where it is told to', async () => {
    const names = async (options: CapGateOptions<[]>) =>
      (await gateWith(options).gate.pass(arrival('GET', '/list'), caller))?.headers.map(([name]) => name);
    expect(await names({})).toContain(PRESSURE_HEADER);
    expect(await names({ pressureHeader: false })).not.toContain(PRESSURE_HEADER);
  });
});
