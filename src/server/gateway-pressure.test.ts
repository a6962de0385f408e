import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../test/servers/redis-server.ts';
import { publishPressure } from '../concurrency/pressure-exchange.ts';
import type { GatewayService } from '../config/service-config.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import { GatewayPressure } from './gateway-pressure.ts';

const environment = 'test';
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A gateway before services of these pressures, which it has heard of. */
async function gatewayBefore(services: readonly GatewayService[], pressures: Record<string, number>) {
  const store = createMemoryStore();
  const onFault = (fault: unknown) => expect(fault).toBeUndefined();
  for (const [service, level] of Object.entries(pressures)) {
    stops.push(
      publishPressure({
        store,
        environment,
        service,
        node: 'n1',
        pressure: () => level,
        everyMs: 10,
        onFault,
      }),
    );
  }
  const gateway = new GatewayPressure({ services, store, environment, onFault });
  stops.push(() => gateway.stop());
  // It reads when it starts, and then once a second.
  await until(async () => {
    gateway.stop();
    gateway.start();
    await sleep(10);
    return gateway.now().every(({ name, pressure }) => Math.abs(pressure - (pressures[name] ?? 0)) < 0.01);
  });
  return gateway;
}

const get = (path: string) => ({ method: 'GET', path, ip: '203.0.113.7' });

describe('the pressure of the services behind a gateway', () => {
  it('slows those down who call them, by the first path that fits', async () => {
    const services = [
      { name: 'orders', path: '/orders/*' },
      { name: 'orders-api', path: '/orders/api' },
    ];
    const gateway = await gatewayBefore(services, { orders: 0.4, 'orders-api': 0.8 });
    expect(gateway.scaleOf(get('/orders/7?full=1'))).toBeCloseTo(0.6);
    expect(gateway.scaleOf(get('/orders/api'))).toBeCloseTo(0.6);
    expect(gateway.scaleOf({ ...get('/orders'), method: 'POST' })).toBeCloseTo(0.6);
    expect(gateway.scaleOf(get('/list'))).toBe(1);
  });

  it('is not got round by a path that may be one of several services, nor counts for others', async () => {
    const services = [
      { name: 'shop', path: '/shop/*' },
      { name: 'orders', path: '/orders/*' },
      { name: 'rest' },
    ];
    const gateway = await gatewayBefore(services, { orders: 0.8, rest: 0.5 });
    const ways = ['/shop/..%2forders/7', '/orders/../shop/7', '/ORDERS/7', '/x;/../orders/7'];
    for (const way of ways) expect(gateway.scaleOf(get(way)), way).toBeCloseTo(0.2);
    for (const plain of ['/shop/7', '/shop/A%20b//c/', '/shop'])
      expect(gateway.scaleOf(get(plain)), plain).toBe(1);
    expect(gateway.scaleOf(get('/Shop/7'))).toBeCloseTo(0.5);
  });

  it('leaves a tenth at least, and is told by name', async () => {
    const gateway = await gatewayBefore([{ name: 'shop', path: '/shop/*' }, { name: 'rest' }], { rest: 1 });
    expect(gateway.scaleOf(get('/anything'))).toBeCloseTo(0.1);
    expect(gateway.scaleOf(get('/shop/1'))).toBe(1);
    expect(gateway.now()).toEqual([
      { name: 'shop', path: '/shop/*', pressure: 0 },
      { name: 'rest', pressure: expect.closeTo(1) },
    ]);
  });

  it('counts for nothing once it is not watched any more', async () => {
    const gateway = await gatewayBefore([{ name: 'shop' }], { shop: 0.5 });
    gateway.stop();
    expect(gateway.scaleOf(get('/shop'))).toBe(1);
    expect(gateway.now()).toEqual([{ name: 'shop', pressure: 0 }]);
  });

  it.each([
    ['service', { services: [{ name: 'not a name' }], environment }],
    ['environment', { services: [{ name: 'shop' }], environment: '_test' }],
  ])('is refused where its record could have no name: %s', (field, named) => {
    const make = () =>
      new GatewayPressure({ ...named, store: createMemoryStore(), onFault: () => undefined });
    expect(make).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(field) }),
    );
  });
});
