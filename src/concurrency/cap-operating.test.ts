import { describe, expect, it } from 'vitest';
import { admitted, bench, denied } from '../../test/simulation/concurrency/cap-bench.ts';
import type { PinOrder } from '../operators/pin-order.ts';
import { settled, VirtualClock } from '../testing/virtual-clock.ts';
import type { CallOptions, Denied } from './admission.ts';
import { gradientLimit } from './gradient-limit.ts';
import { createCap } from './slot-cap.ts';

const orderFor = (forMs: number): PinOrder => ({ by: 'op-7', why: 'INC-12', forMs });

const brokenListener = (): never => {
  throw new TypeError('broken listener');
};

describe('priorities', () => {
  it('let the more important in first', async () => {
    const { cap, ask } = bench({ queue: 9 });
    const running = admitted(await ask());
    const order: string[] = [];
    for (const priority of ['background', 'normal', 'critical', 'normal', 'critical'] as const) {
      void cap.admit({ priority }).then((admission) => {
        order.push(priority);
        if (admission.admitted) admission.release();
      });
    }
    await settled();
    running.release();
    await settled();
    expect(order).toEqual(['critical', 'critical', 'normal', 'normal', 'background']);
  });

  it('shed the least important, newest first, to make room', async () => {
    const { events, ask } = bench({ queue: 3 });
    await ask();
    const older = await ask({ priority: 'background' });
    const newer = await ask({ priority: 'background' });
    const normal = await ask();
    const critical = await ask({ priority: 'critical' });
    expect([older.decision, normal.decision, critical.decision]).toEqual([null, null, null]);
    expect(denied(newer).reason).toBe('displaced');
    expect(events).toMatchObject([{ type: 'shed', reason: 'displaced', priority: 'background' }]);
  });

  it('shed nobody of the same priority', async () => {
    const { ask } = bench({ queue: 1 });
    await ask();
    const waiting = await ask({ priority: 'critical' });
    expect(denied(await ask({ priority: 'critical' })).reason).toBe('queue-full');
    expect(waiting.decision).toBeNull();
  });

  it('are refused where there is none of that name', async () => {
    const { cap } = bench();
    // A caller without types may send anything, also a name that every object has.
    const call: CallOptions = JSON.parse('{"priority":"toString"}');
    await expect(cap.admit(call)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await expect(cap.run(() => 1, call)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(cap.status.running).toBe(0);
  });
});

describe('health checks', () => {
  it('pass while everything else is full', async () => {
    const { cap, ask } = bench({ limit: 2, queue: 2, healthReserve: 2 });
    for (let i = 0; i < 6; i += 1) await ask();
    const checks = [await ask({ priority: 'health' }), await ask({ priority: 'health' })];
    expect(cap.status).toEqual({ limit: 2, running: 2, healthChecks: 2, waiting: 2 });
    expect(cap.tryAdmit({ priority: 'health' }).admitted).toBe(false);
    for (const check of checks) admitted(check).release();
    expect(cap.tryAdmit({ priority: 'health' }).admitted).toBe(true);
  });

  it('wait for each other only', async () => {
    const { ask } = bench({ queue: 1, healthReserve: 1 });
    const call = admitted(await ask());
    const check = admitted(await ask({ priority: 'health' }));
    const waitingCall = await ask();
    const waitingCheck = await ask({ priority: 'health' });
    expect(denied(await ask({ priority: 'health' })).reason).toBe('queue-full');
    call.release();
    await settled();
    expect(admitted(waitingCall).running).toBe(true);
    expect(waitingCheck.decision).toBeNull();
    check.release();
    await settled();
    expect(admitted(waitingCheck).running).toBe(true);
  });

  it('take no slot of the limit, however many there are', async () => {
    const { cap, ask } = bench({ limit: 1, queue: 5, healthReserve: 1 });
    for (let i = 0; i < 9; i += 1) await ask({ priority: 'health' });
    expect(cap.tryAdmit().admitted).toBe(true);
  });

  it('add no pressure', async () => {
    const { cap, clock, ask } = bench({ queue: 0, healthReserve: 1 });
    for (let i = 0; i < 50; i += 1) await ask({ priority: 'health' });
    expect(cap.pressure).toBe(0);
    await clock.advance(5_000);
    expect(cap.pressure).toBe(0);
  });
});

const fail = (): never => {
  throw new TypeError('as told');
};

/** A cap whose limit follows latency, and work that ends after so many milliseconds. */
function runner() {
  const limit = gradientLimit({ max: 10, minSamples: 2, windowMs: 1 });
  const { cap, clock } = bench({ limit });
  const spend = async (ms: number, end: () => unknown, call?: CallOptions) => {
    const work = () => new Promise<void>((resolve) => clock.after(ms, resolve)).then(end);
    const ran = Promise.allSettled([cap.run(work, call)]);
    await clock.advance(ms);
    await ran;
  };
  return { limit, spend, quietMs: () => Math.exp(limit.state.quiet?.mean ?? 0) };
}

describe('a limit that moves', () => {
  it('learns from the time calls keep their slot, but not from failed ones or health checks', async () => {
    const limit = gradientLimit({ max: 10, minSamples: 2, windowMs: 1 });
    const { clock, ask } = bench({ limit });
    const spend = async (ms: number, outcome: 'done' | 'failed', call?: CallOptions) => {
      const slot = admitted(await ask(call));
      await clock.advance(ms);
      slot.release(outcome);
    };
    await spend(5_000, 'failed');
    await spend(5_000, 'done', { priority: 'health' });
    await spend(5_000, 'failed');
    expect(limit.state.quiet).toBeNull();
    await spend(20, 'done');
    await spend(20, 'done');
    expect(Math.exp(limit.state.quiet?.mean ?? 0)).toBeCloseTo(20, 6);
  });

  it('is not raised by work that throws at once, and comes down where throwing takes long', async () => {
    const { limit, spend, quietMs } = runner();
    for (let i = 0; i < 4; i += 1) await spend(20, () => 'row');
    for (let i = 0; i < 4; i += 1) await spend(1, fail);
    expect([quietMs(), limit.current]).toEqual([expect.closeTo(20, 6), 10]);
    for (let i = 0; i < 2; i += 1) await spend(2_000, fail);
    expect([quietMs(), limit.current]).toEqual([expect.closeTo(20, 6), 5]);
  });

  it('learns nothing from work that throws because its caller has gone', async () => {
    const { limit, spend } = runner();
    for (let i = 0; i < 4; i += 1) await spend(20, () => 'row');
    for (let i = 0; i < 9; i += 1) {
      const caller = new AbortController();
      const leave = () => {
        caller.abort();
        return fail();
      };
      await spend(2_000, leave, { signal: caller.signal });
    }
    expect(limit.current).toBe(10);
  });

  it('learns only from what is reported if told so', async () => {
    const limit = gradientLimit({ max: 10, minSamples: 2, windowMs: 1 });
    const { cap, clock, ask } = bench({ limit, learnFrom: 'reported' });
    for (let i = 0; i < 3; i += 1) {
      const slot = admitted(await ask());
      await clock.advance(5_000);
      slot.release();
    }
    expect(limit.state.quiet).toBeNull();
    cap.observe(20);
    const measured = cap.measure(() => new Promise((resolve) => clock.after(20, () => resolve('row'))));
    await clock.advance(20);
    expect(await measured).toBe('row');
    expect(Math.exp(limit.state.quiet?.mean ?? 0)).toBeCloseTo(20, 6);
  });

  it('takes no measured call that fails for a fast one', async () => {
    const limit = gradientLimit({ max: 10, minSamples: 2, windowMs: 1 });
    const { cap } = bench({ limit });
    const failure = new TypeError('no');
    for (let i = 0; i < 5; i += 1)
      await expect(cap.measure(() => Promise.reject(failure))).rejects.toBe(failure);
    expect(limit.state.quiet).toBeNull();
  });

  it('lets in more when it grows, and tells', async () => {
    const growing = {
      current: 1,
      strain: 0,
      observe() {
        growing.current += 2;
      },
    };
    const { cap, events, ask } = bench({ limit: growing, queue: 5 });
    for (let i = 0; i < 4; i += 1) await ask();
    expect(cap.status).toMatchObject({ running: 1, waiting: 3 });
    cap.observe(1);
    expect(cap.status).toMatchObject({ limit: 3, running: 3, waiting: 1 });
    expect(events).toEqual([{ type: 'limit-changed', route: 'default', limit: 3, was: 1 }]);
  });

  it('times one call for as many as the limit says, and tells it so', async () => {
    const seen: (number | undefined)[][] = [];
    const limit = {
      current: 5,
      strain: 0,
      sample: () => 3,
      observe: (latencyMs: number, _running: number, _now: number, calls?: number) =>
        void seen.push([latencyMs, calls]),
    };
    const { clock, ask } = bench({ limit });
    for (let call = 1; call <= 7; call += 1) {
      const running = admitted(await ask());
      await clock.advance(call);
      running.release();
    }
    expect(seen).toEqual([
      [1, 3],
      [4, 3],
      [7, 3],
    ]);
  });

  it('lets nobody overtake who waits, also when it grows by itself', async () => {
    const limit = { current: 1, strain: 0, observe() {} };
    const { cap, ask } = bench({ limit, queue: 3 });
    const first = admitted(await ask());
    const waiting = await ask();
    limit.current = 2;
    expect(cap.tryAdmit().admitted).toBe(false);
    const behind = await ask();
    let runs = 0;
    const last = cap.run(() => {
      runs += 1;
    });
    await settled();
    expect([waiting.decision, behind.decision, runs]).toEqual([null, null, 0]);
    first.release();
    await settled();
    expect([admitted(waiting).running, admitted(behind).running, runs]).toEqual([true, true, 0]);
    admitted(waiting).release();
    expect(await last).toMatchObject({ admitted: true });
  });

  it('counts a call that overran as one of the longest run', async () => {
    const seen: number[] = [];
    const limit = { current: 5, strain: 0, observe: (latencyMs: number) => void seen.push(latencyMs) };
    const { clock, ask } = bench({ limit, maxRunMs: 8_000 });
    await ask();
    await ask({ priority: 'health' });
    await clock.advance(9_000);
    expect(seen).toEqual([8_000]);
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('refuses a latency of %d', (latencyMs) => {
    const { cap } = bench({ limit: gradientLimit({ max: 10 }) });
    expect(() => cap.observe(latencyMs)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  });
});

describe('a pin', () => {
  it('holds the limit for a time, then lets go', async () => {
    const { cap, clock, ask } = bench({ limit: 1, queue: 9 });
    for (let i = 0; i < 4; i += 1) await ask();
    cap.pin(3, orderFor(500));
    expect(cap.status).toMatchObject({ limit: 3, running: 3, waiting: 1 });
    await clock.advance(500);
    expect(cap.status.limit).toBe(1);
  });

  it('can be replaced and ended', async () => {
    const { cap, clock } = bench({ limit: 5 });
    cap.pin(1, orderFor(500));
    cap.pin(2, orderFor(1_000));
    await clock.advance(999);
    expect(cap.status.limit).toBe(2);
    cap.unpin({ by: 'op-8', why: 'over' });
    expect(cap.status.limit).toBe(5);
    await clock.advance(5_000);
    expect(cap.status.limit).toBe(5);
  });

  it('is refused where its limit is out of range', () => {
    const { cap } = bench();
    expect(() => cap.pin(0, orderFor(500))).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });

  it.each([500, null, { by: '' }, { why: undefined }, { forMs: 0 }, { forMs: Number.NaN }])(
    'says who, why and for how long: not %j',
    (wrong) => {
      const { cap, events } = bench({ limit: 4 });
      const given = typeof wrong === 'object' && wrong !== null ? { ...orderFor(500), ...wrong } : wrong;
      const pin = () => cap.pin(2, given as PinOrder);
      expect(pin).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
      expect(cap.status.limit).toBe(4);
      expect(events).toEqual([]);
    },
  );

  it('is told with who, why and for how long, and so is its early end', async () => {
    const { cap, clock, events } = bench({ limit: 4 });
    const note = { by: 'op-8', why: 'over' };
    cap.pin(2, orderFor(500));
    cap.unpin(note);
    cap.unpin(note);
    cap.pin(3, orderFor(500));
    await clock.advance(500);
    expect(events).toEqual([
      { type: 'pinned', route: 'default', limit: 2, ...orderFor(500) },
      { type: 'unpinned', route: 'default', ...note },
      { type: 'pinned', route: 'default', limit: 3, ...orderFor(500) },
    ]);
  });
});

describe('a latency that no call can have', () => {
  it('counts as the longest run, so that the limit learns on soon after it', async () => {
    const limit = gradientLimit({ max: 100 });
    const { cap, clock } = bench({ limit, learnFrom: 'reported', maxRunMs: 8_000 });
    for (let i = 0; i < 100; i += 1) cap.tryAdmit();
    const observe = async (latencyMs: number, times: number) => {
      for (let i = 0; i < times; i += 1) {
        cap.observe(latencyMs);
        await clock.advance(10);
      }
    };
    await observe(20, 200);
    // A time of day, where the time since then was meant.
    await observe(1.7e12, 50);
    expect(limit.state.settledAt - clock.now()).toBeLessThan(8_000);
    expect(limit.state.last?.longestMs).toBe(8_000);
  });
});

describe('shadow', () => {
  it('lets everyone in and tells whom it would have shed', async () => {
    const limit = { current: 1, strain: 0.9, observe() {} };
    const { cap, clock, events, ask } = bench({ limit, queue: 2, shadow: true });
    expect(cap.pressure).toBe(0);
    for (let i = 0; i < 5; i += 1) expect(admitted(await ask()).running).toBe(true);
    expect(admitted(await ask({ deadlineMs: 0 })).running).toBe(true);
    expect(cap.status).toMatchObject({ running: 6, waiting: 0 });
    expect(events).toHaveLength(3);
    expect(events[0]).toMatchObject({ type: 'shed', reason: 'queue-full', shadow: true });
    await clock.advance(2_000);
    expect(cap.pressure).toBe(0);
  });

  it('tells of a call that overruns and leaves it alone, also one that asks for its signal later', async () => {
    const { cap, clock, events, ask } = bench({ maxRunMs: 8_000, shadow: true });
    const client = new AbortController();
    const early = admitted(await ask({ signal: client.signal }));
    const late = admitted(await ask());
    const { signal } = early;
    await clock.advance(9_000);
    expect(events.map(({ type }) => type)).toEqual(['overrun', 'overrun']);
    expect([signal.aborted, late.signal.aborted]).toEqual([false, false]);
    expect(cap.status.running).toBe(0);
    client.abort();
    expect(signal.aborted).toBe(true);
  });
});

describe('telling of what was shed', () => {
  it('says who and why', async () => {
    const { clock, events, ask } = bench({ queue: 1, route: 'create' });
    await ask();
    await ask();
    await ask({ priority: 'background' });
    await clock.advance(1_000);
    const about = { type: 'shed', route: 'create', shadow: false };
    expect(events).toEqual([
      { ...about, reason: 'queue-full', priority: 'background', waitedMs: 0 },
      { ...about, reason: 'deadline', priority: 'normal', waitedMs: 1_000 },
    ]);
  });

  it.each([
    ['throws', brokenListener],
    ['rejects', async () => brokenListener()],
  ])('to a listener that %s leaves every call answered and every slot in order', async (_, onEvent) => {
    const clock = new VirtualClock();
    const cap = createCap({ limit: 1, queue: 2, clock, onEvent });
    const running = cap.tryAdmit();
    const waiting = [cap.admit(), cap.admit()];
    expect(cap.tryAdmit()).toMatchObject({ reason: 'queue-full' });
    await clock.advance(1_000);
    for (const call of waiting) expect(await call).toMatchObject({ reason: 'deadline' });
    await clock.advance(100_000);
    expect(running.admitted && running.running).toBe(false);
    expect(cap.status).toMatchObject({ running: 0, waiting: 0 });
  });
});

describe('pressure', () => {
  it('rises while calls are shed, stretches the time to come back, and falls again', async () => {
    const { cap, clock, ask } = bench({ queue: 0 });
    await ask();
    expect(cap.pressure).toBe(0);
    let last: Denied | null = null;
    for (let i = 0; i < 100; i += 1) {
      last = denied(await ask());
      await clock.advance(50);
    }
    expect(cap.pressure).toBeGreaterThan(0.85);
    expect(last?.retryAfterMs).toBeGreaterThan(8_000);
    expect(last?.retryAfterMs).toBeLessThanOrEqual(10_000);
    await clock.advance(60_000);
    expect(cap.pressure).toBeLessThan(0.01);
  });
});
