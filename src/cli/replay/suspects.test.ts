import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RequestEntry } from '../../abuse/log-formats/log-entry.ts';
import { runScenarios } from '../../abuse/run-scenarios.ts';
import { createLimiter } from '../../limits/limiter.ts';
import { createMemoryStore } from '../../stores/memory/index.ts';
import { RequestDecider } from './request-decider.ts';
import { Suspects } from './suspects.ts';

const secret = 'a secret of at least 16 bytes';
const entry = (t: number, ip: string, path: string, user: string | null, status: number): RequestEntry => ({
  kind: 'request',
  t,
  ip,
  user,
  method: 'GET',
  path,
  status,
  ua: 'curl/8',
});

function open() {
  let now = 0;
  const store = createMemoryStore({ clock: () => now, sweptBy: () => Number.NEGATIVE_INFINITY });
  const scenarios = runScenarios(store.immediate, { secret });
  const decider = new RequestDecider(createLimiter({ store, secret, warn: () => {} }), scenarios);
  return {
    decide: (given: RequestEntry) => {
      now = given.t;
      return decider.decide(given);
    },
    standing: (given: RequestEntry) => scenarios.standing(given, given.t),
  };
}

it('includes everybody of whom scenarios know something', async () => {
  const request = fc.record({
    gapMs: fc.integer({ min: 0, max: 600 }),
    ip: fc.constantFrom('192.0.2.1', '2001:db8::1', '2001:db8::2'),
    user: fc.constantFrom(null, null, null, 'ann'),
    id: fc.nat(10_000),
  });
  let suspected = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 300, maxLength: 400 }), async (requests) => {
      const { decide, standing } = open();
      const suspects = new Suspects();
      let t = 1_000_000;
      for (const { gapMs, ip, user, id } of requests) {
        t += gapMs;
        const given = entry(t, ip, `/wp-${id}.php`, user, 404);
        const isHeld = standing(given).refillScale < 1 || standing(given).refusedForMs > 0;
        suspected += isHeld ? 1 : 0;
        const { reasons } = await decide(given);
        for (const { rule, until, scope } of reasons) {
          if (rule !== 'path-scan') continue;
          const key = scope === 'K1' ? 'network' : 'client';
          suspects.note({ scenario: rule, what: 'degraded', key, shadow: false, until }, given);
        }
        if (isHeld) expect(suspects.mayInclude(given)).toBe(true);
      }
    }),
    { numRuns: 8 },
  );
  expect(suspected).toBeGreaterThan(0);
});
