import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLmdbStore } from '../../src/stores/lmdb/index.ts';
import { storeConformance } from '../conformance/store-conformance.ts';

storeConformance('embedded store', async () => {
  const path = mkdtempSync(join(tmpdir(), 'portcullis-lmdb-'));
  let time = 1_700_000_000_000;
  const open = async () => {
    const store = createLmdbStore({ path, deadlineMs: 10_000, clock: () => time });
    await store.ready();
    return store;
  };
  const store = await open();
  return {
    store,
    openAnother: open,
    close: async () => {
      await store.close();
      rmSync(path, { recursive: true, force: true });
    },
    elapse: async (ms) => {
      time += ms;
    },
  };
});
