import { describe, expect, it } from 'vitest';
import { admitted, bench, denied } from '../../test/simulation/concurrency/cap-bench.ts';
import { settled, VirtualClock } from '../testing/virtual-clock.ts';
import type { CallOptions } from './admission.ts';
import type { CapOptions } from './cap-options.ts';
import { gradientLimit } from './gradient-limit.ts';
import { fixedLimit } from './limit.ts';
import { createCap } from './slot-cap.ts';

describe('the limit and the queue', () => {
  it('lets in up to the limit, lets wait up to the queue, denies the rest', async () => {
    const { cap, ask } = bench({ limit: 2, queue: 3, route: 'create' });
    const calls = [];
    for (let i = 0; i < 6; i += 1) calls.push(await ask());
    expect(calls.map(({ decision }) => decision?.admitted ?? null)).toEqual([
      true,
      true,
      null,
      null,
      null,
      false,
    ]);
    expect(cap.status).toEqual({ limit: 2, running: 2, healthChecks: 0, waiting: 3 });
    expect(calls[5]?.decision).toEqual({
      admitted: false,
      reason: 'queue-full',
      route: 'create',
      waitedMs: 0,
      retryAfterMs: 1_000,
    });
  });

  it('has a queue as long as the limit unless told otherwise', async () => {
    const { cap, ask } = bench({ limit: 3 });
    for (let i = 0; i < 7; i += 1) await ask();
    expect(cap.status).toMatchObject({ running: 3, waiting: 3 });
  });

  it('lets in first who came first, and says how long the wait was', async () => {
    const { clock, ask } = bench({ queue: 3 });
    const first = admitted(await ask());
    const waiting = [await ask(), await ask(), await ask()];
    await clock.advance(300);
    first.release();
    await settled();
    expect(waiting.map(({ decision }) => decision !== null)).toEqual([true, false, false]);
    await clock.advance(200);
    for (const [index, waitedMs] of [300, 500, 500].entries()) {
      const call = waiting[index];
      if (call === undefined) continue;
      expect(admitted(call).waitedMs).toBe(waitedMs);
      admitted(call).release();
      await settled();
    }
  });

  it('lets nobody in whose deadline has passed, though no timer has said so yet', async () => {
    // As after work that kept the process busy for so long.
    let busyMs = 0;
    const time = new VirtualClock(1_000);
    const clock = { now: () => time.now() + busyMs, after: time.after.bind(time) };
    const { cap, events, ask } = bench({ queue: 4, queueDeadlineMs: 500, clock });
    const first = admitted(await ask());
    const late = [await ask(), await ask({ priority: 'critical' })];
    const short = await ask({ deadlineMs: 100 });
    busyMs = 450;
    const inTime = await ask({ priority: 'background' });
    busyMs = 500;
    first.release();
    await settled();
    expect([...late, short].map((asked) => denied(asked).reason)).toEqual([
      'deadline',
      'deadline',
      'deadline',
    ]);
    expect(admitted(inTime).waitedMs).toBe(50);
    expect(cap.status).toMatchObject({ running: 1, waiting: 0 });
    expect(events.map(({ type }) => type)).toEqual(['shed', 'shed', 'shed']);
    await time.advance(2_000);
    expect(events).toHaveLength(3);
  });

  it('denies who has waited for the deadline, each at its own time', async () => {
    const { cap, clock, ask } = bench({ queue: 2, queueDeadlineMs: 500 });
    await ask();
    const early = await ask();
    await clock.advance(200);
    const late = await ask();
    await clock.advance(299);
    expect(early.decision).toBeNull();
    await clock.advance(1);
    expect(denied(early)).toMatchObject({ reason: 'deadline', waitedMs: 500 });
    expect(late.decision).toBeNull();
    await clock.advance(200);
    expect(denied(late)).toMatchObject({ reason: 'deadline', waitedMs: 500 });
    expect(cap.status.waiting).toBe(0);
  });

  it('gives a caller no longer than it has itself', async () => {
    const { clock, ask } = bench({ queue: 2 });
    await ask();
    const short = await ask({ deadlineMs: 50 });
    const long = await ask({ deadlineMs: 5_000 });
    await clock.advance(50);
    expect(denied(short).reason).toBe('deadline');
    await clock.advance(949);
    expect(long.decision).toBeNull();
    await clock.advance(1);
    expect(denied(long).reason).toBe('deadline');
  });

  it.each([0, -1, Number.NEGATIVE_INFINITY])(
    'denies at once who has %d ms left, even when a slot is free',
    async (deadlineMs) => {
      const { cap, ask } = bench();
      expect(denied(await ask({ deadlineMs })).reason).toBe('deadline');
      expect(cap.status.running).toBe(0);
    },
  );

  it('bounds no wait by a caller that would wait for ever', async () => {
    const { clock, ask } = bench({ queue: 1 });
    await ask();
    const patient = await ask({ deadlineMs: Number.POSITIVE_INFINITY });
    await clock.advance(999);
    expect(patient.decision).toBeNull();
    await clock.advance(1);
    expect(denied(patient).reason).toBe('deadline');
  });

  it.each([
    [{ deadlineMs: Number.NaN }, 'deadlineMs must be a number of milliseconds, got the number NaN'],
    [{ deadlineMs: '5' }, 'deadlineMs must be a number of milliseconds, got a string of 1 characters'],
    [{ deadlineMs: null }, 'deadlineMs must be a number of milliseconds, got null'],
    [{ signal: null }, 'signal must be an AbortSignal, got null'],
    [{ signal: 'gone' }, 'signal must be an AbortSignal, got a string of 4 characters'],
    [null, 'call must be an object, got null'],
    [{ deadlineMS: 5 }, 'deadlineMS is no field of a call: there are priority, signal, deadlineMs.'],
    [{ prio: undefined }, 'prio is no field of a call: there are priority, signal, deadlineMs.'],
  ])('sheds nobody for %j, and says what is wrong with it', async (wrong, message) => {
    const call = wrong as object as CallOptions;
    const fault = expect.objectContaining({ code: 'INPUT_INVALID', message });
    for (const shadow of [false, true]) {
      const { cap, events } = bench({ shadow });
      await expect(cap.admit(call)).rejects.toEqual(fault);
      await expect(cap.run(() => 1, call)).rejects.toEqual(fault);
      expect(() => cap.tryAdmit(call)).toThrow(fault);
      expect({ events, running: cap.status.running }).toEqual({ events: [], running: 0 });
    }
  });

  it('does without a queue', async () => {
    const { ask } = bench({ queue: 0 });
    await ask();
    expect(denied(await ask()).reason).toBe('queue-full');
    expect(denied(await ask({ priority: 'critical' })).reason).toBe('queue-full');
  });

  it('never waits in tryAdmit', () => {
    const { cap } = bench();
    expect(cap.tryAdmit().admitted).toBe(true);
    expect(cap.tryAdmit()).toMatchObject({ admitted: false, reason: 'queue-full' });
    expect(cap.status.waiting).toBe(0);
  });
});

describe('a caller that goes away', () => {
  it('leaves the queue at once, and makes room', async () => {
    const { cap, events, ask } = bench({ queue: 1 });
    await ask();
    const caller = new AbortController();
    const gone = await ask({ signal: caller.signal });
    caller.abort();
    expect(cap.status.waiting).toBe(0);
    await settled();
    expect(denied(gone).reason).toBe('aborted');
    expect((await ask()).decision).toBeNull();
    expect(events).toEqual([]);
  });

  it('adds no pressure: it was not shed', async () => {
    const { cap, clock, ask } = bench({ queue: 1 });
    await ask();
    await clock.advance(1_000);
    expect(cap.pressure).toBe(0);
    for (let i = 0; i < 20; i += 1) {
      const caller = new AbortController();
      await ask({ signal: caller.signal });
      caller.abort();
    }
    await clock.advance(1_000);
    expect(cap.pressure).toBe(0);
  });

  it('is not let in when it was gone before', async () => {
    const { cap, ask } = bench();
    expect(denied(await ask({ signal: AbortSignal.abort() })).reason).toBe('aborted');
    expect(cap.status.running).toBe(0);
  });

  it('keeps its slot while it runs: the work is still being done', async () => {
    const { cap, ask } = bench();
    const caller = new AbortController();
    const slot = admitted(await ask({ signal: caller.signal }));
    caller.abort();
    expect(cap.status.running).toBe(1);
    expect(slot.signal.aborted).toBe(true);
    expect(slot.release()).toBe(true);
  });

  it('may go after its wait without a second answer', async () => {
    const { cap, ask } = bench();
    const first = admitted(await ask());
    const caller = new AbortController();
    const second = await ask({ signal: caller.signal, deadlineMs: 100 });
    first.release();
    await settled();
    caller.abort();
    expect(cap.status).toMatchObject({ running: 1, waiting: 0 });
    expect(admitted(second).release()).toBe(true);
  });
});

describe('a slot', () => {
  it('comes back once, however often it is given', async () => {
    const { cap, ask } = bench({ limit: 2 });
    const [one, other] = [admitted(await ask()), admitted(await ask())];
    const { release } = one;
    expect(one.running).toBe(true);
    expect([release(), release('failed'), one.release()]).toEqual([true, false, false]);
    expect(one.running).toBe(false);
    expect(cap.status.running).toBe(1);
    other.release();
    expect(cap.status.running).toBe(0);
  });

  it('is taken back from a call that never ends, with an event, and its late return counts for nothing', async () => {
    const { cap, clock, events, ask } = bench({ maxRunMs: 8_000, queueDeadlineMs: 20_000, route: 'read' });
    const stuck = admitted(await ask());
    const { signal } = stuck;
    const next = await ask();
    await clock.advance(8_000);
    expect(next.decision).toBeNull();
    await clock.advance(1_000);
    expect(events).toEqual([{ type: 'overrun', route: 'read', maxRunMs: 8_000 }]);
    expect(signal.aborted).toBe(true);
    expect(stuck.running).toBe(false);
    expect(admitted(next).running).toBe(true);
    expect(stuck.release()).toBe(false);
    expect(cap.status.running).toBe(1);
  });

  it('has a signal that stays quiet when the call ends in time', async () => {
    const { clock, ask } = bench({ maxRunMs: 8_000 });
    const slot = admitted(await ask());
    const { signal } = slot;
    slot.release();
    await clock.advance(60_000);
    expect(signal.aborted).toBe(false);
    expect(slot.signal).toBe(signal);
  });

  it('keeps that signal quiet also while others overrun', async () => {
    const { clock, events, ask } = bench({ limit: 2, maxRunMs: 8_000 });
    const [ended, stuck] = [admitted(await ask()), admitted(await ask())];
    const signals = [ended.signal, stuck.signal];
    ended.release();
    await clock.advance(9_000);
    expect(events).toHaveLength(1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  });

  it('has an aborted signal if that is first asked for too late', async () => {
    const { clock, ask } = bench({ maxRunMs: 8_000 });
    const slot = admitted(await ask());
    await clock.advance(9_000);
    expect(slot.signal.aborted).toBe(true);
  });
});

describe('run', () => {
  it('gives what the work gives, and the slot back', async () => {
    const { cap } = bench();
    expect(await cap.run(async () => 7)).toEqual({ admitted: true, value: 7 });
    expect(await cap.run(() => 8)).toEqual({ admitted: true, value: 8 });
    expect(cap.status.running).toBe(0);
  });

  it('passes on what the work throws, and gives the slot back', async () => {
    const { cap } = bench();
    const failure = new TypeError('no');
    const throws = () => {
      throw failure;
    };
    await expect(cap.run(throws)).rejects.toBe(failure);
    await expect(cap.run(async () => throws())).rejects.toBe(failure);
    await expect(cap.run(throws, { priority: 'critical' })).rejects.toBe(failure);
    expect(cap.status.running).toBe(0);
  });

  it('denies as a value, without running the work', async () => {
    const { cap } = bench({ queue: 0 });
    cap.tryAdmit();
    let runs = 0;
    const ran = await cap.run(() => {
      runs += 1;
    });
    expect(ran).toMatchObject({ admitted: false, reason: 'queue-full' });
    expect(runs).toBe(0);
  });

  it('runs after a wait', async () => {
    const { cap, ask } = bench();
    const first = admitted(await ask());
    const ran = cap.run(({ waitedMs }) => waitedMs);
    first.release();
    expect(await ran).toEqual({ admitted: true, value: 0 });
  });

  it('tells work that overruns, and still gives its outcome', async () => {
    const { cap, clock } = bench({ maxRunMs: 8_000 });
    const ran = cap.run(
      ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('aborted'))),
    );
    await clock.advance(9_000);
    expect(await ran).toEqual({ admitted: true, value: 'aborted' });
    expect(cap.status.running).toBe(0);
  });
});

describe('options', () => {
  it.each([
    { limit: 0 },
    { limit: 1.5 },
    { limit: Number.NaN },
    { limit: 1, queue: -1 },
    { limit: 1, queueDeadlineMs: 0 },
    { limit: 1, healthReserve: 0 },
    { limit: 1, maxRunMs: 0 },
    { limit: 1, maxRunMs: 1e9 },
  ])('are checked: %o', (options) => {
    expect(() => createCap(options)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });

  it.each([
    [{}, 'got nothing'],
    [{ limit: '5' }, 'got a string of 1 characters'],
    [{ limit: null }, 'got null'],
    [{ limit: 1, queue: null }, 'queue must be a whole number from 0 to 1000000, got null'],
    [
      { limit: 1, queueDeadlineMs: null },
      'queueDeadlineMs must be a whole number from 1 to 86400000, got null',
    ],
    [{ limit: 1, healthReserve: null }, 'healthReserve must be a whole number from 1 to 1000000, got null'],
    [{ limit: 1, maxRunMs: null }, 'maxRunMs must be a whole number from 1 to 86400000, got null'],
    [{ limit: {} }, 'got an object'],
    [{ limit: { current: 1, observe() {} } }, 'limit.strain must be a number from 0 to 1, got nothing'],
    [{ limit: 1, shadow: 'false' }, 'shadow must be true or false, got a string of 5 characters'],
    [
      { limit: 1, learnFrom: 'report' },
      'learnFrom must be "handler" or "reported", got a string of 6 characters',
    ],
    [{ limit: 1, onEvent: 'log' }, 'onEvent must be a function, got a string of 3 characters'],
    [null, 'got null'],
  ])('say what is wrong with %j', (options, message) => {
    const make = () => createCap(options as object as CapOptions);
    expect(make).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(make).toThrow(message);
  });

  it('refuse a limit that another cap has, where it learns from one', () => {
    const limit = gradientLimit({ max: 10 });
    createCap({ limit });
    expect(() => createCap({ limit })).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message:
          'limit belongs to another cap: it cannot tell apart what two have running. Make one for each.',
      }),
    );
  });

  it('leave a limit free that they were refused with', () => {
    const limit = gradientLimit({ max: 10 });
    expect(() => createCap({ limit, queue: -1 })).toThrow('queue');
    expect(createCap({ limit }).status.limit).toBe(10);
  });

  it('let caps share a limit that learns nothing from them, or does not say so', () => {
    for (const limit of [fixedLimit(3), { current: 3, strain: 0, observe() {} }]) {
      expect([createCap({ limit }), createCap({ limit })].map((cap) => cap.status.limit)).toEqual([3, 3]);
    }
  });
});
