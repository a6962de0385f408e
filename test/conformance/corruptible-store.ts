import { Fault } from '../../src/core/fault.ts';
import type { Key } from '../../src/core/records.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import type { ImmediateStore, Store } from '../../src/stores/store.ts';

/** A store with records that somebody else has written over. */
export interface CorruptibleStore extends Store {
  /** Makes the one record whose key holds this text unreadable. */
  corrupt(part: string): void;
  /** How many records cannot be read. */
  readonly unreadable: number;
}

/** As Redis, PostgreSQL and LMDB behave: whoever asks for an unreadable record fails until it is set aside. */
export function createCorruptibleStore(
  face: 'promises' | 'viewNow' | 'immediate' = 'promises',
): CorruptibleStore {
  const memory = createMemoryStore();
  const written = new Set<string>();
  const corrupt = new Set<string>();
  const assertReadable = (keys: readonly Key[]): void => {
    if (keys.some(({ text }) => corrupt.has(text))) throw new Fault('RECORD_CORRUPT', 'as told');
  };
  const immediate: ImmediateStore = {
    view: (keys, look) => {
      assertReadable(keys);
      return memory.immediate.view(keys, look);
    },
    transact: (keys, step) => {
      assertReadable(keys);
      for (const { text } of keys) written.add(text);
      return memory.immediate.transact(keys, step);
    },
  };
  return {
    view: async (keys, look) => immediate.view(keys, look),
    transact: async (keys, step) => immediate.transact(keys, step),
    immediate: face === 'immediate' ? immediate : undefined,
    viewNow: face === 'viewNow' ? immediate.view : undefined,
    setAside: async (keys) => keys.filter(({ text }) => corrupt.delete(text)).length,
    ping: () => memory.ping(),
    held: (prefix) => memory.held(prefix),
    close: () => memory.close(),
    corrupt(part) {
      const found = [...written].find((text) => text.includes(part));
      if (found === undefined) throw new Fault('INVARIANT_BROKEN', `No key holds ${part}.`);
      corrupt.add(found);
    },
    get unreadable() {
      return corrupt.size;
    },
  };
}
