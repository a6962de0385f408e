import { describe, expect, it } from 'vitest';
import { Fault, type FaultCode } from '../core/fault.ts';
import { StoreRest } from './store-rest.ts';

/** A store that can be away, and how often it was asked. */
function bench({ outages = ['STORE_FAILED', 'STORE_TIMEOUT'] as FaultCode[], forgives = true } = {}) {
  let now = 1_000_000;
  let asked = 0;
  let failure: FaultCode | null = 'STORE_TIMEOUT';
  const rest = new StoreRest({ clock: () => now, outages: new Set(outages), forgives });
  const ask = async () => {
    try {
      return await rest.run(async () => {
        asked += 1;
        if (failure !== null) throw new Fault(failure, 'as told');
        return 'answer';
      });
    } catch (error) {
      return (error as Fault).code;
    }
  };
  return {
    rest,
    ask,
    asked: () => asked,
    fails: (code: FaultCode | null) => {
      failure = code;
    },
    elapse: (ms: number) => {
      now += ms;
    },
  };
}

describe('a store that is away', () => {
  it('is left alone for five seconds after three failures, then tried with one call at a time', async () => {
    const { ask, asked, elapse } = bench();
    for (let index = 0; index < 10; index += 1) expect(await ask()).toMatch(/^STORE_/);
    expect(asked()).toBe(3);
    elapse(4_999);
    expect([await ask(), asked()]).toEqual(['STORE_FAILED', 3]);
    elapse(1);
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([
      'STORE_TIMEOUT',
      'STORE_FAILED',
      'STORE_FAILED',
    ]);
    expect(asked()).toBe(4);
    expect([await ask(), asked()]).toEqual(['STORE_FAILED', 4]);
  });

  it('is asked by everybody again once it has answered', async () => {
    const { ask, asked, fails, elapse } = bench();
    for (let index = 0; index < 3; index += 1) await ask();
    elapse(5_000);
    fails('STORE_FULL');
    expect(await ask()).toBe('STORE_FULL');
    fails(null);
    expect(await Promise.all([ask(), ask()])).toEqual(['answer', 'answer']);
    fails('STORE_FAILED');
    await ask();
    await ask();
    fails(null);
    expect([await ask(), asked()]).toEqual(['answer', 9]);
  });

  it('is not taken for away by few failures in a long time, nor by those of single records', async () => {
    const { ask, asked, fails, elapse } = bench();
    for (let index = 0; index < 6; index += 1) {
      await ask();
      elapse(5_001);
    }
    for (const code of ['STORE_CONFLICT', 'STORE_FULL', 'RECORD_CORRUPT'] as const) {
      fails(code);
      for (let index = 0; index < 3; index += 1) expect(await ask()).toBe(code);
    }
    expect(asked()).toBe(15);
  });

  it('is tried again also after the clock was set back', async () => {
    const { ask, fails, elapse } = bench();
    for (let index = 0; index < 3; index += 1) await ask();
    elapse(-3_600_000);
    fails(null);
    expect(await ask()).toBe('answer');
  });

  it('is not asked by everybody because of a call that was under way when it was left alone', async () => {
    const { rest, ask, asked, fails } = bench();
    let answer = (_: string) => {};
    const underWay = rest.run(() => new Promise<string>((resolve) => (answer = resolve)));
    for (let index = 0; index < 3; index += 1) await ask();
    fails(null);
    answer('late');
    expect(await underWay).toBe('late');
    expect([rest.isAway, await ask(), asked()]).toEqual([true, 'STORE_FAILED', 3]);
  });

  it('is left alone from the latest failure on, also that of a call that was under way', async () => {
    const { rest, ask, asked, elapse } = bench();
    let fail = (_: Fault) => {};
    const underWay = rest.run(() => new Promise((_, reject) => (fail = reject)));
    for (let index = 0; index < 3; index += 1) await ask();
    elapse(4_000);
    fail(new Fault('STORE_TIMEOUT', 'late'));
    await expect(underWay).rejects.toThrow('late');
    elapse(4_999);
    expect([await ask(), asked()]).toEqual(['STORE_FAILED', 3]);
    elapse(1);
    expect([await ask(), asked()]).toEqual(['STORE_TIMEOUT', 4]);
  });

  it('is told by the faults it is made for', async () => {
    const { ask, asked, fails } = bench({ outages: ['STORE_FULL'] });
    for (let index = 0; index < 5; index += 1) expect(await ask()).toBe('STORE_TIMEOUT');
    fails('STORE_FULL');
    for (let index = 0; index < 5; index += 1) await ask();
    expect(asked()).toBe(8);
  });

  it('is left alone at the next failure where a probe that is answered forgives none', async () => {
    const { ask, asked, fails, elapse } = bench({ forgives: false });
    for (let index = 0; index < 3; index += 1) await ask();
    elapse(5_000);
    fails(null);
    expect(await Promise.all([ask(), ask()])).toEqual(['answer', 'STORE_FAILED']);
    expect(await Promise.all([ask(), ask()])).toEqual(['answer', 'answer']);
    fails('STORE_TIMEOUT');
    expect([await ask(), await ask(), asked()]).toEqual(['STORE_TIMEOUT', 'STORE_FAILED', 7]);
  });

  it('is not left alone for failures from before the clock was set back', async () => {
    const { ask, fails, elapse } = bench();
    for (let index = 0; index < 2; index += 1) await ask();
    elapse(-3_600_000);
    await ask();
    fails(null);
    expect(await ask()).toBe('answer');
  });
});

describe('a turn', () => {
  const timeout = new Fault('STORE_TIMEOUT', 'as told');
  const made = () => {
    const state = { now: 1_000_000 };
    const outages = new Set<FaultCode>(['STORE_TIMEOUT']);
    return { state, rest: new StoreRest({ clock: () => state.now, outages, forgives: false }) };
  };

  it('says whether the store is left alone because of how it ended', () => {
    const { state, rest } = made();
    expect([1, 2, 3].map(() => rest.failed('call', timeout))).toEqual([false, false, true]);
    expect(rest.failed('call', new Fault('STORE_CONFLICT', 'as told'))).toBe(false);
    expect(rest.turn()).toBeNull();
    state.now += 5_000;
    expect([rest.turn(), rest.turn()]).toEqual(['probe', null]);
    expect(rest.failed('probe', timeout)).toBe(true);
  });

  it('of a probe ends also when the step throws, and the store has answered then', () => {
    const { state, rest } = made();
    for (let index = 0; index < 3; index += 1) rest.failed('call', timeout);
    state.now += 5_000;
    expect(rest.turn()).toBe('probe');
    expect(rest.failed('probe', new TypeError('a bug'))).toBe(false);
    expect([rest.turn(), rest.turn(), rest.isAway]).toEqual(['call', 'call', false]);
  });
});
