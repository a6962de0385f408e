import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { rules } from '../core/decision.ts';
import { Fault } from '../core/fault.ts';
import { defaultPolicies } from '../core/policy.ts';
import { createGuard } from '../index.ts';
import { createLimiter } from '../limits/index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { Store } from '../stores/store.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { Metrics, type MetricsOptions } from './metrics.ts';

const secret = 'a secret of sixteen bytes or more';

function made(options: Partial<MetricsOptions> = {}): Metrics {
  const metrics = new Metrics({ version: '1.2.3', processMetrics: false, ...options });
  metrics.name({
    policies: ['login', 'otp', 'api'],
    limitRoutes: ['GET /list'],
    httpRoutes: ['/v1/check'],
    scenarios: ['path-scan'],
  });
  return metrics;
}

/** Lines of one metric, without comments. */
async function series(metrics: Metrics, name: string): Promise<string[]> {
  const text = await metrics.text();
  return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
}

/** Ours. Those of the process come and go with what the process does, such as collecting garbage. */
async function countSeries(metrics: Metrics): Promise<number> {
  return (await metrics.text()).split('\n').filter((line) => line.startsWith('portcullis_')).length;
}

describe('Metrics', () => {
  it('counts decisions, blocks and the time of the store', async () => {
    const metrics = made();
    const guard = createGuard({ secret });
    metrics.observeGuard(guard);
    const request = { action: 'auth.login', account: 'alice', ip: '203.0.113.7' };
    await guard.check(request);
    for (let n = 0; n < 3; n += 1) await guard.fail(request);
    expect(await series(metrics, 'portcullis_decisions_total')).toContain(
      'portcullis_decisions_total{policy="login",op="check",outcome="ALLOW",rule="none",mode="NORMAL"} 1',
    );
    expect((await series(metrics, 'portcullis_blocks_total')).join('\n')).toMatch(
      /policy="login",rule="score"/,
    );
    const counted = await series(metrics, 'portcullis_store_operation_seconds_count');
    expect(counted).toContain('portcullis_store_operation_seconds_count{op="fail",result="ok"} 3');
    expect(await metrics.text()).not.toMatch(/alice|203\.0\.113/);
    await guard.close();
  });

  it('counts for those that a sampled event stands for', async () => {
    const metrics = made({ allowEventEvery: 10 });
    const guard = createGuard({ secret, allowEventEvery: 10 });
    metrics.observeGuard(guard);
    for (let n = 0; n < 20; n += 1)
      await guard.check({ action: 'auth.login', account: 'a', ip: '192.0.2.1' });
    expect(await series(metrics, 'portcullis_decisions_total')).toEqual([
      'portcullis_decisions_total{policy="login",op="check",outcome="ALLOW",rule="none",mode="NORMAL"} 20',
    ]);
    await guard.close();
  });

  it('counts checks and what follows them alike, however few are told', async () => {
    const metrics = made({ allowEventEvery: 10 });
    const guard = createGuard({ secret, allowEventEvery: 10 });
    metrics.observeGuard(guard);
    for (let n = 0; n < 100; n += 1) {
      await guard.attempt({ action: 'auth.login', account: `a${n}`, ip: `10.0.${n}.1` }, () => true);
    }
    for (let n = 0; n < 100; n += 1) {
      await guard.check({
        action: n % 2 === 0 ? 'auth.login' : 'auth.otp',
        account: `a${n}`,
        ip: `10.0.${n}.1`,
      });
    }
    const allowed = (policy: string, op: string, count: number) =>
      `portcullis_decisions_total{policy="${policy}",op="${op}",outcome="ALLOW",rule="none",mode="NORMAL"} ${count}`;
    expect((await series(metrics, 'portcullis_decisions_total')).sort()).toEqual([
      allowed('login', 'check', 150),
      allowed('login', 'succeed', 100),
      allowed('otp', 'check', 50),
    ]);
    await guard.close();
  });

  it('counts what rules in shadow would have done for those that a sampled event stands for', async () => {
    const policies = defaultPolicies.map((policy) => ({
      ...policy,
      shadow: rules.filter((rule) => rule !== 'blocked' && rule !== 'degraded' && rule !== 'store'),
    }));
    /** By series, over the same attempts: every second is of somebody of whom no rule has anything to say. */
    const counted = async (allowEventEvery: number) => {
      const metrics = made({ allowEventEvery });
      const guard = createGuard({ secret, policies, allowEventEvery });
      metrics.observeGuard(guard);
      for (let n = 0; n < 250; n += 1) {
        await guard.fail({ action: 'auth.login', account: 'victim', ip: '10.1.1.1' }, { at: n });
        await guard.fail({ action: 'auth.login', account: `a${n}`, ip: `10.2.${n}.1` }, { at: n });
      }
      await guard.close();
      const shadows = await series(metrics, 'portcullis_shadow_total');
      return new Map(shadows.map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]));
    };
    const all = await counted(1);
    const sampled = await counted(10);
    // Up to nine decisions wait for the one that is told for them, and a rule may speak on two keys of each.
    for (const [name, count] of all) {
      expect(Math.abs((sampled.get(name) ?? 0) - count), name).toBeLessThanOrEqual(2 * 9);
    }
    expect(Math.max(...all.values())).toBeGreaterThan(200);
  });

  it('shows modes and breakers as the guard has them when it is asked', async () => {
    const metrics = made();
    const policies = defaultPolicies.filter(({ name }) => name === 'login');
    const memory = createMemoryStore();
    let isDown = true;
    const unlessDown =
      <Given extends unknown[], T>(call: (...given: Given) => Promise<T>) =>
      (...given: Given) =>
        isDown ? Promise.reject(new Fault('STORE_FAILED', 'away')) : call(...given);
    const store: Store = {
      ...memory,
      immediate: undefined,
      view: (keys, look) => unlessDown(() => memory.view(keys, look))(),
      transact: (keys, step) => unlessDown(() => memory.transact(keys, step))(),
    };
    const clock = new VirtualClock();
    const guard = createGuard({ secret, policies, store, failure: { clock, deadlineMs: null } });
    metrics.observeGuard(guard);
    expect(await series(metrics, 'portcullis_degraded')).toEqual(['portcullis_degraded{policy="login"} 0']);
    expect(await series(metrics, 'portcullis_breaker_open')).toEqual([
      'portcullis_breaker_open{policy="login"} 0',
    ]);
    for (let n = 0; n < 3; n += 1) await guard.check({ action: 'auth.login', account: 'a', ip: '192.0.2.1' });
    expect(await series(metrics, 'portcullis_degraded')).toEqual(['portcullis_degraded{policy="login"} 1']);
    expect(await series(metrics, 'portcullis_breaker_open')).toEqual([
      'portcullis_breaker_open{policy="login"} 1',
    ]);
    expect(await series(metrics, 'portcullis_policy_mode')).toEqual([
      'portcullis_policy_mode{policy="login",mode="NORMAL"} 0',
      'portcullis_policy_mode{policy="login",mode="FAIL_CLOSED"} 0',
      'portcullis_policy_mode{policy="login",mode="FAIL_OPEN"} 0',
      'portcullis_policy_mode{policy="login",mode="DEGRADED"} 1',
    ]);
    expect(await series(metrics, 'portcullis_breaker_trips_total')).toEqual([
      'portcullis_breaker_trips_total{policy="login"} 1',
    ]);
    isDown = false;
    await clock.advance(5 * 60_000 + 10_000);
    expect(await series(metrics, 'portcullis_breaker_open')).toEqual([
      'portcullis_breaker_open{policy="login"} 0',
    ]);
    await guard.close();
  });

  it('counts calls of a limiter by route', async () => {
    const metrics = made();
    const limiter = createLimiter({
      store: createMemoryStore({ clock: () => 0 }),
      secret,
      anonymous: { ratePerSecond: 1 },
      routes: [{ method: 'GET', path: '/list' }],
      warn: () => {},
    });
    for (const path of ['/list', '/list', '/x/1', '/x/2']) {
      metrics.limit(await limiter.take({ method: 'GET', path, ip: '192.0.2.1' }));
    }
    expect(await series(metrics, 'portcullis_limit_calls_total')).toEqual([
      'portcullis_limit_calls_total{result="allowed",rule="none",route="GET /list"} 2',
      'portcullis_limit_calls_total{result="allowed",rule="none",route="other"} 1',
      'portcullis_limit_calls_total{result="refused",rule="limit",route="other"} 1',
    ]);
  });

  it('counts what rules in shadow would have done', async () => {
    const metrics = made();
    const policies = defaultPolicies.map((policy) => ({ ...policy, shadow: ['score'] as const }));
    const guard = createGuard({ secret, policies });
    metrics.observeGuard(guard);
    for (let n = 0; n < 3; n += 1) await guard.fail({ action: 'auth.login', account: 'a', ip: '192.0.2.1' });
    const shadows = await series(metrics, 'portcullis_shadow_total');
    expect(shadows.join('\n')).toMatch(/policy="login",rule="score",outcome="HARD_BLOCK"/);
    expect(await series(metrics, 'portcullis_blocks_total')).toEqual([]);
    await guard.close();
  });

  it('has every number on its page, and no other', async () => {
    const page = readFileSync(new URL('../../docs/reference/metrics.md', import.meta.url), 'utf8');
    const listed = [...page.matchAll(/^\| `(portcullis_\w+)` \|/gm)].map(([, name]) => name);
    const known = (await made().registry.getMetricsAsJSON()).map(({ name }) => name);
    expect(listed.toSorted()).toEqual(known.toSorted());
  });

  it('says what it was built from', async () => {
    expect(await series(made(), 'portcullis_build_info')).toEqual([
      `portcullis_build_info{version="1.2.3",node="${process.version}"} 1`,
    ]);
  });

  it('tells of the process where it is asked to', async () => {
    expect(await made({ processMetrics: true }).text()).toContain('process_cpu_user_seconds_total');
  });

  it('tells of delays of the event loop only where some were measured since the last look', async () => {
    const metrics = made({ processMetrics: true });
    const measured = (text: string) =>
      text.split('\n').filter((line) => /^nodejs_eventloop_lag_\w+_seconds /.test(line));
    await metrics.text();
    const second = await metrics.text();
    expect(measured(second)).toEqual([]);
    expect(second).toMatch(/^nodejs_eventloop_lag_seconds /m);
    const lines = await vi.waitFor(async () => {
      const found = measured(await metrics.text());
      expect(found).toHaveLength(7);
      return found;
    });
    expect(lines.map((line) => Number(line.split(' ')[1])).every((seconds) => seconds < 60)).toBe(true);
  });

  it('takes new names from a new configuration, up to a bound', async () => {
    const metrics = made();
    metrics.name({ httpRoutes: Array.from({ length: 5000 }, (_, n) => `/r/${n}`) });
    for (let n = 0; n < 5000; n += 1)
      metrics.http({ method: 'GET', route: `/r/${n}`, status: 200, durationMs: 1 });
    expect((await series(metrics, 'portcullis_http_requests_total')).length).toBeLessThanOrEqual(601);
  });

  it('has no more series for whatever a client sends', async () => {
    const metrics = made();
    const hostile = fc.oneof(
      fc.string(),
      fc.constantFrom('__proto__', 'constructor', 'a\nb', '"} 1\nevil 1', '/v1/x'),
    );
    const send = (word: string, status: number) => {
      metrics.http({ method: word, route: word, status, durationMs: 1 });
      metrics.http({ method: 'GET', route: null, status: 200, durationMs: 1 });
      metrics.scenario(word, 'block');
      metrics.act(word);
      metrics.kratos(word, word);
      metrics.limit({
        allowed: true,
        rule: null,
        retryAfterMs: 0,
        caller: 'anonymous',
        route: word,
        signIn: false,
        cost: 1,
        quota: null,
        skipped: null,
        shadow: null,
        mode: 'NORMAL',
        ticket: null,
      });
    };
    send('anything', 999);
    const before = await countSeries(metrics);
    fc.assert(
      fc.property(hostile, (word) => send(word, -1)),
      { numRuns: 500 },
    );
    expect(await countSeries(metrics)).toBe(before);
    expect(await metrics.text()).not.toContain('evil');
  });
});
