import { describe, expect, it } from 'vitest';
import { Fault, type FaultCode } from '../core/fault.ts';
import type { Key, Records, StoredRecord } from '../core/records.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { LimitEvent } from './events.ts';
import { StoreFallback } from './store-fallback.ts';

interface Count extends StoredRecord {
  readonly at: number;
  readonly calls: number;
}

const keyOf = (name: string): Key<Count> => ({ text: `test:{${name}}`, was: null, mark: undefined });
const [lost, well] = [keyOf('lost'), keyOf('well')];

/** A store that loses single keys when it is told to, in simulated time, and what was told about it. @param throws at once, instead of rejecting */
function bench(first: FaultCode = 'STORE_TIMEOUT', throws = false) {
  let code = first;
  let now = 1_700_000_000_000;
  const memory = createMemoryStore({ clock: () => now });
  const down = new Set<Key>();
  const state = { asked: 0 };
  const events: LimitEvent[] = [];
  const fallback = new StoreFallback(
    {
      view: (keys, look) => memory.view(keys, look),
      transact: (keys, step) => {
        state.asked += 1;
        if (!keys.some((key) => down.has(key))) return memory.transact(keys, step);
        const fault = new Fault(code, 'as told');
        if (throws) throw fault;
        return Promise.reject(fault);
      },
      setAside: async (keys) => keys.length,
      ping: () => memory.ping(),
      held: (prefix) => memory.held(prefix),
      close: () => memory.close(),
    },
    () => now,
    (event) => events.push(event),
  );
  return {
    state,
    down,
    fails: (next: FaultCode) => {
      code = next;
    },
    /** How many calls on this key are known where this one was answered, and by whom. */
    call: (key: Key<Count>) =>
      fallback.transact(
        [key],
        (records, at) => countOne(records, key, at),
        (answered) => answered,
      ),
    told: () =>
      events.map((event) => (event.type === 'store-failed' && event.paused ? 'paused' : event.type)),
    elapse: (ms: number) => {
      now += ms;
    },
  };
}

function countOne(records: Records, key: Key<Count>, at: number): number {
  const calls = (records.get(key)?.calls ?? 0) + 1;
  records.put(key, { at, calls }, { keepMs: 600_000, softMs: 0, hardMs: 0 });
  return calls;
}

describe('a key that many write at once', () => {
  it('takes the store away from nobody else, and is counted for in this process', async () => {
    const { call, down, told, elapse } = bench('STORE_CONFLICT');
    down.add(lost);
    for (let calls = 1; calls <= 50; calls += 1) {
      expect(await call(lost)).toEqual({ value: calls, mode: 'FAIL_OPEN' });
      expect(await call(well)).toEqual({ value: calls, mode: 'NORMAL' });
    }
    expect(told()).not.toContain('paused');
    down.clear();
    elapse(10_000);
    expect(await call(lost)).toEqual({ value: 1, mode: 'NORMAL' });
    expect(told().at(-1)).toBe('store-recovered');
  });
  it('shows that a store that was away is back, and forgives nothing', async () => {
    const { call, down, fails, told, elapse } = bench();
    down.add(lost);
    for (let i = 0; i < 3; i += 1) await call(lost);
    elapse(5_000);
    fails('STORE_CONFLICT');
    expect((await call(lost)).mode).toBe('FAIL_OPEN');
    expect((await Promise.all([call(well), call(well)])).map(({ mode }) => mode)).toEqual([
      'NORMAL',
      'NORMAL',
    ]);
    elapse(5_000);
    await call(well);
    expect(told()).toEqual(['store-failed', 'store-failed', 'paused', 'store-failed']);
    elapse(5_000);
    await call(well);
    expect(told().at(-1)).toBe('store-recovered');
  });
});

describe('a store of which a part fails', () => {
  it('is counted for in this process, whatever succeeds in between', async () => {
    const { call, down } = bench();
    down.add(lost);
    for (let calls = 1; calls <= 100; calls += 1) {
      expect(await call(lost)).toEqual({ value: calls, mode: 'FAIL_OPEN' });
      await call(well);
    }
  });

  it('is left alone after three failures, whatever succeeds in between', async () => {
    const { call, down, state } = bench();
    down.add(lost);
    for (let i = 0; i < 100; i += 1) {
      await call(lost);
      await call(well);
    }
    expect(state.asked).toBe(5);
  });

  it('is asked again once a probe succeeds, and left alone at the next failure', async () => {
    const { call, down, elapse, told } = bench();
    down.add(lost);
    for (let i = 0; i < 3; i += 1) await call(lost);
    elapse(5_000);
    expect((await call(well)).mode).toBe('NORMAL');
    expect((await call(well)).mode).toBe('NORMAL');
    expect((await call(lost)).value).toBe(4);
    expect((await call(well)).mode).toBe('FAIL_OPEN');
    expect(told()).toEqual(['store-failed', 'store-failed', 'paused', 'paused']);
  });

  it('has recovered when nothing has failed for ten seconds, and that is told once', async () => {
    const { call, down, elapse, told } = bench();
    down.add(lost);
    for (let i = 0; i < 3; i += 1) await call(lost);
    down.clear();
    elapse(5_000);
    expect(await call(lost)).toEqual({ value: 1, mode: 'NORMAL' });
    elapse(4_999);
    await call(well);
    expect(told()).not.toContain('store-recovered');
    elapse(1);
    for (let i = 0; i < 3; i += 1) await call(well);
    expect(told().filter((what) => what === 'store-recovered')).toHaveLength(1);
    down.add(lost);
    expect(await call(lost)).toEqual({ value: 1, mode: 'FAIL_OPEN' });
    expect((await call(well)).mode).toBe('NORMAL');
  });

  it('is not asked again because of a call that was under way when it was left alone', async () => {
    const { call, down, state } = bench();
    const underWay = call(well);
    down.add(lost);
    await Promise.all([call(lost), call(lost), call(lost), underWay]);
    expect((await call(well)).mode).toBe('FAIL_OPEN');
    expect(state.asked).toBe(4);
  });

  it('is tried by the next call after the clock was set back', async () => {
    const { call, down, elapse } = bench();
    down.add(lost);
    for (let i = 0; i < 3; i += 1) await call(lost);
    elapse(-3_600_000);
    expect((await call(well)).mode).toBe('NORMAL');
  });

  it('has recovered ten seconds after the clock was set back at the latest', async () => {
    const { call, down, elapse, told } = bench();
    down.add(lost);
    for (let i = 0; i < 3; i += 1) await call(lost);
    elapse(-3_600_000);
    await call(well);
    elapse(9_999);
    await call(well);
    expect(told()).not.toContain('store-recovered');
    elapse(1);
    await call(well);
    expect(told().at(-1)).toBe('store-recovered');
  });
});

describe('a store that can write nothing new', () => {
  it('is left alone as one that is away', async () => {
    const { call, down, state, told } = bench('STORE_FULL');
    down.add(lost);
    for (let calls = 1; calls <= 10; calls += 1) {
      expect(await call(lost)).toEqual({ value: calls, mode: 'FAIL_OPEN' });
    }
    expect(state.asked).toBe(3);
    expect(told()).toEqual(['store-failed', 'store-failed', 'paused']);
  });
});

describe('a store that throws instead of rejecting', () => {
  it('has failed no less, and is asked again by the next probe', async () => {
    const { call, down, elapse, state } = bench('STORE_FAILED', true);
    down.add(lost);
    for (let calls = 1; calls <= 3; calls += 1) expect((await call(lost)).mode).toBe('FAIL_OPEN');
    elapse(5_000);
    expect(await call(lost)).toEqual({ value: 4, mode: 'FAIL_OPEN' });
    elapse(5_000);
    expect((await call(well)).mode).toBe('NORMAL');
    expect(state.asked).toBe(5);
  });
});

describe('a record that cannot be read', () => {
  it('is set aside, and neither counted for in this process nor held against the store', async () => {
    const { call, down, told, state } = bench('RECORD_CORRUPT');
    down.add(lost);
    for (let calls = 1; calls <= 4; calls += 1)
      await expect(call(lost)).rejects.toMatchObject({ code: 'RECORD_CORRUPT' });
    expect(told()).toEqual(Array(4).fill('record-corrupt'));
    expect((await call(well)).mode).toBe('NORMAL');
    expect(state.asked).toBe(5);
  });
});
