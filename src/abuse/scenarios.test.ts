import { describe, expect, it } from 'vitest';
import { createLimiter } from '../limits/index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { ScenarioEvent } from './events.ts';
import type { RequestEvent } from './request-event.ts';
import { createScenarios, type ScenariosOptions } from './scenarios.ts';

const secret = 'sixteen bytes or more';
const start = 1_700_000_000_000;
const scan = (index: number): RequestEvent => ({
  method: 'GET',
  path: `/wp-content/plugins/plugin-${index}/readme.txt`,
  status: 404,
  ip: '203.0.113.7',
  ua: 'Mozilla/5.0 zgrab/0.x',
});

function bench(options: Partial<ScenariosOptions> = {}) {
  let now = start;
  const store = createMemoryStore({ clock: () => now });
  const limiter = createLimiter({ store, secret });
  const events: ScenarioEvent[] = [];
  const scenarios = createScenarios({
    store,
    secret,
    limiter,
    clock: () => now,
    onEvent: (event) => events.push(event),
    ...options,
  });
  const elapse = (ms: number) => {
    now += ms;
  };
  return { store, limiter, scenarios, events, elapse };
}

describe('scenarios', () => {
  it('degrade a scan first, block it when it goes on, and begin anew after the block', async () => {
    const { scenarios, limiter, events, elapse } = bench();
    let index = 0;
    const scanUntilFinding = async () => {
      for (;;) {
        elapse(100);
        index += 1;
        const [finding] = await scenarios.observe(scan(index));
        if (finding !== undefined) return { finding, index };
      }
    };
    const first = await scanUntilFinding();
    expect(first.finding).toMatchObject({ scenario: 'path-scan', what: 'degraded', shadow: false });
    expect(first.index).toBeGreaterThan(30);
    expect(await scenarios.standing(scan(0))).toEqual({ refillScale: 0.25, delayMs: 2_000, refusedForMs: 0 });
    expect((await limiter.take(scan(0))).allowed).toBe(true);
    const second = await scanUntilFinding();
    expect(second.finding).toMatchObject({ what: 'blocked' });
    const verdict = await limiter.take(scan(0));
    expect([verdict.allowed, verdict.rule, verdict.retryAfterMs]).toEqual([false, 'blocked', 300_000]);
    expect(await scenarios.standing(scan(0))).toEqual({ refillScale: 1, delayMs: 0, refusedForMs: 0 });
    expect(events.map(({ what }) => what)).toEqual(['degraded', 'blocked']);
    expect(JSON.stringify(events)).not.toMatch(/203\.0\.113|zgrab|plugin/);
  });
});
