import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../stores/memory/index.ts';
import { type AttemptKey, clearAttempts, countAttempt, countShared, takeShare } from './attempt-steps.ts';

const windowMs = 1_000;
const address: AttemptKey = { text: 'ip:{a}', was: null };
const shareOf = (name: string): AttemptKey => ({ text: `share:{a}:${name}`, was: null });

/** Steps on a store at times that are handed in. */
function open() {
  let now = 0;
  const store = createMemoryStore({ clock: () => now });
  const at = (t: number) => {
    now = t;
  };
  const count = (t: number, key: AttemptKey = address) => {
    at(t);
    return store.transact([key], (records) => countAttempt(records, key, windowMs, t));
  };
  const shared = (t: number, name: string) => {
    at(t);
    const share = shareOf(name);
    return store.transact([address, share], (records) => countShared(records, address, share, windowMs, t));
  };
  const succeed = (t: number, name: string) => {
    at(t);
    const share = shareOf(name);
    return store.transact([address, share], (records) => takeShare(records, address, share, t));
  };
  const clear = (t: number, key: AttemptKey) => {
    at(t);
    return store.transact([key], (records) => clearAttempts(records, key, t));
  };
  return { count, shared, succeed, clear };
}

describe('a window of attempts', () => {
  test('is neither longer nor opened anew where the clock of the store is set back', async () => {
    const { count } = open();
    await count(5_000);
    await count(5_900);
    expect(await count(5_200)).toMatchObject({ attempts: 3, remainingMs: 800 });
    expect(await count(4_000)).toMatchObject({ attempts: 4 });
    expect(await count(5_999)).toMatchObject({ attempts: 5, remainingMs: 1 });
    expect(await count(6_000)).toMatchObject({ attempts: 1, remainingMs: windowMs });
  });

  test('that has ended stays ended for a clock that was set back behind its end', async () => {
    const { count } = open();
    await count(5_000);
    expect(await count(6_000)).toMatchObject({ attempts: 1, window: 7_000 });
    expect(await count(5_500)).toMatchObject({ attempts: 2, window: 7_000 });
  });

  test('begins no earlier than what its record has seen, also after it was cleared', async () => {
    const { count, clear } = open();
    await count(5_900);
    await count(5_300);
    await clear(5_200, address);
    expect(await count(5_100)).toMatchObject({ attempts: 1, window: 6_900 });
  });

  test('has attempts in it for as long as its first one says, whatever the order of times', async () => {
    const gap = fc.integer({ min: -300, max: 300 });
    await fc.assert(
      fc.asyncProperty(fc.array(gap, { minLength: 1, maxLength: 40 }), async (gaps) => {
        const { count } = open();
        let t = 100_000;
        let latest = 0;
        let present = { resetAt: 0, attempts: 0 };
        for (const by of gaps) {
          t += by;
          latest = Math.max(latest, t);
          if (latest >= present.resetAt) present = { resetAt: latest + windowMs, attempts: 0 };
          present = { ...present, attempts: present.attempts + 1 };
          const tally = await count(t);
          expect(tally).toMatchObject({ attempts: present.attempts, window: present.resetAt });
          expect(tally.remainingMs).toBe(present.resetAt - t);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('the share of an account in an address', () => {
  test('is what it has added in the present window, and nothing of the one before', async () => {
    const { shared, count, succeed } = open();
    for (let attempt = 0; attempt < 5; attempt += 1) await shared(0, 'mine');
    for (let attempt = 0; attempt < 7; attempt += 1) await count(windowMs);
    await succeed(windowMs, 'mine');
    expect(await count(windowMs)).toMatchObject({ attempts: 8 });
    expect(await shared(windowMs, 'mine')).toMatchObject({ attempts: 9 });
    await succeed(windowMs, 'mine');
    expect(await count(windowMs)).toMatchObject({ attempts: 9 });
  });

  test('is taken back once, however often the account signs in', async () => {
    const { shared, count, succeed } = open();
    await shared(0, 'mine');
    for (let attempt = 0; attempt < 3; attempt += 1) await count(0);
    for (let again = 0; again < 3; again += 1) await succeed(1, 'mine');
    expect(await count(1)).toMatchObject({ attempts: 4 });
  });
});

describe('a counter that was cleared', () => {
  test('stays so while a key rotation runs, as long as its window would have lasted', async () => {
    const { count, clear } = open();
    const before: AttemptKey = { text: 'id:{old}', was: null };
    const rotated: AttemptKey = { text: 'id:{new}', was: 'id:{old}' };
    for (let attempt = 0; attempt < 9; attempt += 1) await count(0, before);
    await clear(100, rotated);
    expect(await count(900, rotated)).toMatchObject({ attempts: 1 });
  });
});
