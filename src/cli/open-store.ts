import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isEmbeddedName, isPostgresUrl, isRedisUrl } from '../config/store-name.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import { PRIVATE_FOLDER } from '../folders/make-folder.ts';
import type { Store } from '../stores/store.ts';
import { makeNamedFolder } from './option-folder.ts';
import { storeForms } from './store-forms.ts';

/** A person at a terminal would rather wait than be told that the store took more than a request may. */
const deadlineMs = 5_000;

/**
 * Opens a store by its URL. A driver is loaded only when its store is named.
 *
 * @param mayBeNew whether a folder without records is made into a store; else it is taken for a slip of the pen
 * @param forms what the command takes, for whoever names something else
 */
export async function openStore(url: string, mayBeNew = true, forms = storeForms): Promise<Store> {
  if (isRedisUrl(url)) {
    const { createRedisStore } = await import('../stores/redis/index.ts');
    return createRedisStore({ url, deadlineMs });
  }
  if (isPostgresUrl(url)) {
    const { createPostgresStore } = await import('../stores/postgres/index.ts');
    return createPostgresStore({ connectionString: url, deadlineMs });
  }
  if (isEmbeddedName(url)) {
    const path = recordsIn(url.slice('lmdb:'.length));
    if (!mayBeNew && !hasRecords(path))
      throw new Fault('INPUT_INVALID', `--store names a folder without records: ${path}`);
    makeNamedFolder('--store', path, PRIVATE_FOLDER);
    const { createLmdbStore } = await import('../stores/lmdb/index.ts');
    return createLmdbStore({ path, deadlineMs });
  }
  throw new Fault('INPUT_INVALID', `--store must be one of ${forms}, got ${shapeOf(url)}`);
}

const hasRecords = (folder: string): boolean => existsSync(join(folder, 'data.mdb'));

/** The service keeps its records in a folder of its data folder; whoever names that one means them. */
function recordsIn(folder: string): string {
  const within = join(folder, 'records');
  return !hasRecords(folder) && hasRecords(within) ? within : folder;
}
