import { describe, expect, it } from 'vitest';
import { Fault, type FaultCode } from '../core/fault.ts';
import { StoreRest } from './store-rest.ts';

/** A store that can be away, and how often it was asked. */
function bench() {
  let now = 1_000_000;
  let asked = 0;
  let failure: FaultCode | null = 'STORE_TIMEOUT';
  const rest = new StoreRest(() => now);
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
});
