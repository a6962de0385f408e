import { describe, expect, it } from 'vitest';
import { Fault } from '../core/fault.ts';
import { defaultPolicies } from '../core/policy.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { Store } from '../stores/store.ts';
import { rehearse } from './rehearsal.ts';

/** A store that notes what is written, and until when. */
function notingStore(): { readonly store: Store; readonly written: Map<string, number> } {
  const memory = createMemoryStore();
  const written = new Map<string, number>();
  const store: Store = {
    view: (keys, look, options) => memory.view(keys, look, options),
    transact: (keys, step) =>
      memory.transact(keys, (records, now) =>
        step(
          {
            get: (key) => records.get(key),
            put: (key, value, retention) => {
              const { keepMs, softMs, hardMs } = retention;
              written.set(key.text, Math.max(keepMs, softMs, hardMs));
              records.put(key, value, retention);
            },
          },
          now,
        ),
      ),
    ping: () => memory.ping(),
    held: (prefix, signal) => memory.held(prefix, signal),
    close: () => memory.close(),
  };
  return { store, written };
}

describe('a rehearsal', () => {
  it('walks the way of every policy and leaves nothing but what ends after a second', async () => {
    const { store, written } = notingStore();
    await rehearse(store, defaultPolicies);
    const names = [...written.keys()];
    for (const { name } of defaultPolicies) {
      expect(names.some((text) => text.startsWith(`portcullis-ping:rehearsal:${name}:`))).toBe(true);
    }
    expect(names.filter((text) => !text.startsWith('portcullis-ping:'))).toEqual([]);
    expect([...new Set(written.values())]).toEqual([1_000]);
  });

  it('writes under the same names at every start', async () => {
    const first = notingStore();
    const second = notingStore();
    await rehearse(first.store, defaultPolicies);
    await rehearse(second.store, defaultPolicies);
    const [fewer, more] = [first, second]
      .map(({ written }) => new Set(written.keys()))
      .sort((a, b) => a.size - b.size);
    expect(fewer?.size).toBeGreaterThan(0);
    expect([...(fewer ?? [])].filter((name) => !more?.has(name))).toEqual([]);
  });

  it('gets over a store that fails', async () => {
    const { store } = notingStore();
    let calls = 0;
    const refuse = async (): Promise<never> => {
      calls += 1;
      throw new Fault('STORE_FAILED', 'away');
    };
    await rehearse({ ...store, view: refuse, transact: refuse }, defaultPolicies);
    expect(calls).toBeGreaterThan(defaultPolicies.length);
  });
});
