import { createRedisStore, type RedisStoreOptions } from '../../src/stores/redis/index.ts';
import type { Store } from '../../src/stores/store.ts';
import { storeConformance } from '../conformance/store-conformance.ts';

/** The machine may be busy with other tests; the deadline has tests of its own. */
const deadlineMs = 2_000;

/** The conformance suite on Redis stores with these options, which are asked for once for each of them. */
export function redisStoreConformance(name: string, options: () => Promise<RedisStoreOptions>): void {
  storeConformance(name, async () => {
    const stores: Store[] = [];
    const openAnother = async (): Promise<Store> => {
      const store = createRedisStore({ deadlineMs, ...(await options()) });
      stores.push(store);
      return store;
    };
    return {
      store: await openAnother(),
      openAnother,
      async close() {
        for (const store of stores) await store.close();
      },
    };
  });
}
