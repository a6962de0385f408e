import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gradientLimit } from '../../src/concurrency/index.ts';
import { SlotLedger } from './concurrency/slot-ledger.ts';

const RUNS = 50;
const STEPS = 2_000;

const options = fc.record({
  limit: fc.integer({ min: 1, max: 12 }),
  queue: fc.integer({ min: 0, max: 12 }),
  healthReserve: fc.integer({ min: 1, max: 3 }),
  queueDeadlineMs: fc.integer({ min: 10, max: 1_500 }),
  maxRunMs: fc.integer({ min: 200, max: 4_000 }),
});

describe(`slots under ${RUNS * STEPS} random calls, releases, aborts, throws, hangs and pins`, () => {
  it('are neither leaked nor given back twice, and nobody waits beside a free one', {
    timeout: 120_000,
  }, async () => {
    let granted = 0;
    let overruns = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), options, async (seed, settings) => {
        const ledger = new SlotLedger(seed, settings);
        for (let step = 0; step < STEPS && ledger.violation === null; step += 1) await ledger.step();
        expect(ledger.violation).toBeNull();
        await ledger.windUp();
        expect(ledger.violation).toBeNull();
        expect(ledger.cap.status).toMatchObject({ running: 0, healthChecks: 0, waiting: 0 });
        expect(ledger.asked - ledger.decided).toBe(ledger.unanswered);
        granted += ledger.granted;
        overruns += ledger.overrun;
      }),
      {
        numRuns: RUNS,
        endOnFailure: true,
        // A cascade through the queue that was once judged before it had ended.
        examples: [
          [1082208142, { limit: 4, queue: 9, healthReserve: 2, queueDeadlineMs: 1194, maxRunMs: 1886 }],
        ],
      },
    );
    expect(granted).toBeGreaterThan(RUNS * STEPS * 0.1);
    expect(overruns).toBeGreaterThan(RUNS);
  });
});

describe('a limit that moves', () => {
  it('stays between its bounds whatever the latencies', () => {
    const latency = fc.oneof(
      fc.double({ min: 0, max: 100, noNaN: true }),
      fc.double({ min: 0, max: 1e6, noNaN: true }),
    );
    const sample = fc.tuple(latency, fc.nat({ max: 200 }), fc.double({ min: 0, max: 500, noNaN: true }));
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 2_000 }), fc.integer({ min: 1, max: 50 }), (samples, min) => {
        const limit = gradientLimit({ min, max: 50, minSamples: 3 });
        let now = 0;
        for (const [latencyMs, running, passedMs] of samples) {
          now += passedMs;
          limit.observe(latencyMs, running, now);
          expect(limit.current).toBeGreaterThanOrEqual(min);
          expect(limit.current).toBeLessThanOrEqual(50);
          expect(limit.strain).toBeGreaterThanOrEqual(0);
          expect(limit.strain).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
