import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../core/fault.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { Store } from '../stores/store.ts';
import { AuditTrail } from './audit-trail.ts';
import type { AuditEvent } from './events.ts';

const announced = { what: 'placed', block: 'login:K4:hash', by: 'alice', why: 'as told' } as const;

/** A trail over a store that can be taken away. */
function scene() {
  const state = { now: 1_000, isAway: false };
  const memory = createMemoryStore({ clock: () => state.now });
  const store: Store = {
    ...memory,
    view: (keys, look) => memory.view(keys, look),
    transact: async (keys, step) => {
      if (state.isAway) throw new Fault('STORE_FAILED', 'away');
      return memory.transact(keys, step);
    },
  };
  const heard: AuditEvent[] = [];
  return { state, heard, trail: new AuditTrail(store, 'test', (act) => heard.push(act)) };
}

const unsure = { at: 1_000, ...announced, until: null, unsure: true };

describe('an act that is accompanied', () => {
  it('stands in the trail when it was done, with its end', async () => {
    const { trail, heard } = scene();
    const done = await trail.accompany(
      announced,
      async () => 7,
      (value) => value * 1_000,
    );
    expect(done).toBe(7);
    expect(await trail.read()).toEqual([{ at: 1_000, ...announced, until: 7_000 }]);
    expect(heard).toEqual(await trail.read());
  });

  it('is announced before it is done', async () => {
    const { trail } = scene();
    const seen = await trail.accompany(
      announced,
      () => trail.read(),
      () => null,
    );
    expect(seen).toEqual([unsure]);
  });

  it('is not done when it cannot be announced', async () => {
    const { state, trail, heard } = scene();
    state.isAway = true;
    let isDone = false;
    const act = trail.accompany(
      announced,
      async () => {
        isDone = true;
      },
      () => null,
    );
    await expect(act).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect({ isDone, heard }).toEqual({ isDone: false, heard: [] });
  });

  it('leaves nothing when there was nothing to do, or it was refused', async () => {
    const { trail, heard } = scene();
    await trail.accompany(
      announced,
      async () => false,
      () => undefined,
    );
    const refused = trail.accompany(
      announced,
      () => Promise.reject(new Fault('INPUT_INVALID', 'no such device')),
      () => null,
    );
    await expect(refused).rejects.toThrow('no such device');
    expect([await trail.read(), heard]).toEqual([[], []]);
  });

  it('stays as unsure, and is told so, when the store fails before its end is noted', async () => {
    const { state, trail, heard } = scene();
    const during = trail.accompany(
      announced,
      () => Promise.reject(new Fault('STORE_TIMEOUT', 'no answer')),
      () => null,
    );
    await expect(during).rejects.toMatchObject({ code: 'STORE_TIMEOUT' });
    const afterwards = trail.accompany(
      announced,
      async () => {
        state.isAway = true;
      },
      () => null,
    );
    await expect(afterwards).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(await trail.read()).toEqual([unsure, unsure]);
    expect(heard).toEqual([unsure, unsure]);
  });
});

it('keeps the last acts that were done, whatever came to nothing or is unsure', async () => {
  const outcome = fc.constantFrom('done', 'nothing', 'refused', 'failed');
  await fc.assert(
    fc.asyncProperty(fc.array(outcome, { minLength: 300, maxLength: 700 }), async (outcomes) => {
      const { trail, state } = scene();
      const done: string[] = [];
      for (const [index, what] of outcomes.entries()) {
        state.now += 1;
        const block = `b${index}`;
        if (what === 'done') done.push(block);
        const perform = async () => {
          if (what === 'refused') throw new Fault('INPUT_INVALID', what);
          if (what === 'failed') throw new Fault('STORE_FAILED', what);
        };
        await trail
          .accompany({ ...announced, block }, perform, () => (what === 'done' ? null : undefined))
          .catch((cause: unknown) => expect(cause).toMatchObject({ message: what }));
      }
      const acts = await trail.read();
      expect(acts.filter((act) => act.unsure === undefined).map(({ block }) => block)).toEqual(
        done.slice(-256),
      );
      expect(acts.filter((act) => act.unsure).length).toBeLessThanOrEqual(32);
    }),
    { numRuns: 10 },
  );
});
