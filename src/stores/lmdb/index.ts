import { FolderStore, type LmdbStore } from './lmdb-store.ts';
import { type LmdbStoreOptions, settingsOf } from './options.ts';

export type { LmdbStore, LmdbUsage } from './lmdb-store.ts';
export type { LmdbStoreOptions } from './options.ts';

/**
 * A store in a folder of this machine, for which the package `lmdb` has to be installed. A step's promise resolves when
 * its records are on the disk: they survive the end of the process and of the machine. Several processes may share
 * the folder, not several machines.
 *
 * A full store makes room: it drops what has expired, then what has no block, the soonest to expire first, then the
 * block that ends soonest. Each operation ends by its deadline with `STORE_TIMEOUT`; what was not on the disk by then
 * may still get there. A disk that is full, or a step too large for the bound, is `STORE_FULL`; any other failure to
 * write is `STORE_FAILED`.
 *
 * @throws Fault `CONFIG_INVALID` when an option is unknown or of the wrong type.
 */
export function createLmdbStore(options: LmdbStoreOptions): LmdbStore {
  return new FolderStore(settingsOf(options));
}
