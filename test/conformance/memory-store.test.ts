import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { storeConformance } from './store-conformance.ts';

storeConformance('memory store', async () => {
  let time = 1_700_000_000_000;
  const store = createMemoryStore({ clock: () => time });
  return {
    store,
    close: () => store.close(),
    elapse: async (ms) => {
      time += ms;
    },
  };
});

storeConformance('memory store that does not sweep', async () => {
  let time = 0;
  const store = createMemoryStore({ clock: () => time, sweptBy: () => Number.NEGATIVE_INFINITY });
  return {
    store,
    close: () => store.close(),
    elapse: async (ms) => {
      time += ms;
    },
  };
});
