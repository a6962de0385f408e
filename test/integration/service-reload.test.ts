import { describe, expect, it } from 'vitest';
import { changeBetween } from '../../src/config/config-change.ts';
import type { ServiceConfig } from '../../src/config/service-config.ts';
import type { OpenRoom } from '../../src/server/rooms.ts';
import { bearer, type ServiceUnderTest, startService, tokenList } from './service-under-test.ts';

/** A service with the configuration it was started with. */
async function started(document: object = {}, room: Partial<Awaited<ReturnType<OpenRoom>>> = {}) {
  let config: ServiceConfig | undefined;
  const open: OpenRoom = async (parts) => {
    config = parts.config;
    return { name: 'host', ...room };
  };
  const under = await startService(document, { rooms: [open] });
  if (config === undefined) return expect.unreachable('the room was not opened');
  const running = config;
  const apply = (changed: Partial<ServiceConfig>) =>
    under.service.apply(changeBetween(running, { ...running, ...changed }));
  return { under, config: running, apply };
}

const linesOf = async ({ ask }: ServiceUnderTest, name: string) =>
  (await ask('GET', '/metrics')).text.split('\n').filter((line) => line.startsWith(`${name}{`));

describe('a configuration that cannot be taken over', () => {
  const visitor = {
    'x-forwarded-for': '192.0.2.44',
    'x-original-uri': '/create',
    'x-original-method': 'PUT',
  };
  const left = async ({ ask }: ServiceUnderTest) =>
    (await ask('GET', '/v1/authorize', undefined, visitor)).headers.get('ratelimit')?.match(/r=(\d+)/)?.[1];

  it.each([
    ['the limiter', ({ limits }: ServiceConfig) => ({ limits: { ...limits, ratePerSecond: -1 } })],
    [
      'a policy',
      ({ policies }: ServiceConfig) => ({ policies: policies.flatMap((policy) => [policy, policy]) }),
    ],
  ])('changes nothing, though other parts of it could be: %s', async (_, broken) => {
    const taken: string[] = [];
    const { under, config, apply } = await started(
      { limits: { anonymous: { ratePerSecond: 5, burst: 2 } } },
      { prepare: () => () => void taken.push('room') },
    );
    expect(await left(under)).toBe('9');
    const before = (await under.ask('GET', '/v1/config')).json;
    expect(() => apply({ trustedProxies: ['127.0.0.1'], ...broken(config) })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
    // From a proxy that is trusted this would be the first call of its visitor, and cost 5. Since the first a unit may have flown back.
    expect(Number(await left(under))).toBeGreaterThanOrEqual(8);
    expect((await under.ask('GET', '/v1/config')).json).toEqual(before);
    expect(taken).toEqual([]);
    await under.close();
  });

  it('changes nothing where a room refuses it', async () => {
    const refuse = () => {
      throw new RangeError('not here');
    };
    const { under, config, apply } = await started({}, { prepare: refuse });
    expect(() => apply({ limits: { ...config.limits, otherCost: 7 } })).toThrow('not here');
    const { json } = await under.ask('GET', '/v1/status');
    expect(json.limits.otherCost).toBe(config.limits.otherCost);
    await under.close();
  });
});

describe('numbers across a reload', () => {
  const ip = '192.0.2.1';

  it('go by the names that it brings', async () => {
    const { under, config, apply } = await started({ limits: { anonymous: { ratePerSecond: 50 } } });
    const [first] = config.policies;
    if (first === undefined) return expect.unreachable('there is no policy');
    apply({
      limits: { ...config.limits, routes: [{ method: 'GET', path: '/report', cost: 2 }] },
      policies: [...config.policies, { ...first, name: 'admin', actions: ['auth.admin'] }],
    });
    await under.service.limiter.take({ method: 'GET', path: '/report', ip });
    await under.service.guard.check({ action: 'auth.admin', account: 'a', ip });
    expect(await linesOf(under, 'portcullis_limit_calls_total')).toEqual([
      'portcullis_limit_calls_total{result="allowed",rule="none",route="GET /report"} 1',
    ]);
    expect((await linesOf(under, 'portcullis_decisions_total')).join('\n')).toContain('policy="admin"');
    expect(await linesOf(under, 'portcullis_policy_mode')).toContain(
      'portcullis_policy_mode{policy="admin",mode="NORMAL"} 1',
    );
    await under.close();
  });

  it('are those of the services that it names', async () => {
    const { under, config, apply } = await started({ limits: { services: [{ name: 'orders' }] } });
    const services = async () => (await under.ask('GET', '/v1/status')).json.limits.services;
    expect(await services()).toEqual([{ name: 'orders', path: null, pressure: 0 }]);
    apply({ limits: { ...config.limits, services: [{ name: 'shop', path: '/shop/*' }] } });
    expect(await services()).toEqual([{ name: 'shop', path: '/shop/*', pressure: 0 }]);
    expect(await linesOf(under, 'portcullis_service_pressure')).toEqual([
      'portcullis_service_pressure{service="shop"} 0',
    ]);
    await under.close();
  });

  it('go on from where they were', async () => {
    const { under, config, apply } = await started({ limits: { anonymous: { ratePerSecond: 50 } } });
    const counts = async () => {
      const { limits, scenarios } = (await under.ask('GET', '/v1/status')).json;
      return [limits.counts.allowed, scenarios.counts.observed];
    };
    const call = { method: 'GET', path: '/', ip };
    const observed = { requests: [{ ...call, status: 200 }] };
    await under.service.limiter.take(call);
    await under.ask('POST', '/v1/observe', observed);
    expect(await counts()).toEqual([1, 1]);
    apply({ limits: { ...config.limits, otherCost: 2 } });
    expect(await counts()).toEqual([1, 1]);
    await under.service.limiter.take(call);
    apply({ scenarios: { ...config.scenarios, mostDelayed: 7 } });
    await under.ask('POST', '/v1/observe', observed);
    expect(await counts()).toEqual([2, 2]);
    await under.close();
  });
});

describe('a change of tokens', () => {
  const open = ({ url }: ServiceUnderTest, headers: Record<string, string>) =>
    fetch(new URL('/v1/events', url), { headers, signal: AbortSignal.timeout(5_000) });

  it('ends the streams of events, and who has still a token goes on where it was', async () => {
    const { under, config, apply } = await started({ tokens: tokenList });
    const [revoked, kept] = [await open(under, bearer('observe')), await open(under, bearer('operate'))];
    await under.ask('POST', '/v1/check', { account: 'a', ip: '192.0.2.1' }, bearer('decide'));
    apply({ tokens: config.tokens.filter(({ name }) => name !== 'observe') });
    const texts = await Promise.all([revoked.text(), kept.text()]);
    for (const text of texts) expect(text).toContain('"type":"decision"');
    expect(texts.join('')).not.toContain('"type":"config"');
    expect((await open(under, bearer('observe'))).status).toBe(401);
    const last = /^id: (.*)$/m.exec(texts[1] ?? '')?.[1] ?? '';
    const again = await open(under, { ...bearer('operate'), 'last-event-id': last });
    await under.close();
    expect(await again.text()).toMatch(/"type":"config","what":"applied","live":\["tokens"\]/);
  });

  it('is what ends them: another one does not', async () => {
    const { under, config, apply } = await started({ tokens: tokenList });
    const stream = await open(under, bearer('observe'));
    apply({ limits: { ...config.limits, otherCost: 2 } });
    await under.close();
    expect(await stream.text()).toContain('"live":["limits"]');
  });
});

describe('the status', () => {
  it('counts every decision, however few are told', async () => {
    const { under } = await started({ telemetry: { allowEventEvery: 10 } });
    for (let n = 0; n < 20; n += 1) {
      await under.service.guard.check({ action: 'auth.login', account: `a${n}`, ip: '192.0.2.1' });
    }
    const { json } = await under.ask('GET', '/v1/status');
    expect(json.decisions).toEqual({ login: { ALLOW: 20, SOFT_BLOCK: 0, HARD_BLOCK: 0 } });
    await under.close();
  });
});

it('tells a mistake about proxies once, however often other parts change', async () => {
  const { under, config, apply } = await started();
  for (const otherCost of [2, 3, 4]) {
    await under.ask('GET', '/v1/authorize', undefined, { 'x-forwarded-for': '192.0.2.1' });
    apply({ limits: { ...config.limits, otherCost } });
  }
  expect(under.lines.filter((line) => line.includes('PORTCULLIS_PROXY_UNTRUSTED'))).toHaveLength(1);
  await under.close();
});
