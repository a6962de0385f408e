import { Fault } from '../../core/fault.ts';
import { checkFolder } from './file-check.ts';
import { checkRoom } from './file-room.ts';
import type { LmdbSettings } from './options.ts';
import { RecordFile } from './record-file.ts';

/**
 * Opens the file, which is made where it is missing and readable by its owner alone.
 *
 * lmdb answers a write when it is visible and flushes it afterwards, unless `overlappingSync` is off: then a
 * commit is on the disk when it is answered. That is what an answer has to mean here; many steps share one flush.
 * `eventTurnBatching` makes promises of its own, whose rejection by a failed commit nobody can hear.
 *
 * @throws Fault `CONFIG_INVALID` when the package `lmdb` is not installed, `STORE_FAILED` when the file cannot be opened,
 * `STORE_FULL` when the disk has no room for a new one.
 */
export async function openFile({ path, maxBytes }: LmdbSettings): Promise<RecordFile> {
  const { open } = await importLmdb();
  await checkFolder(path);
  await checkRoom(path);
  const options = {
    path,
    mapSize: maxBytes,
    maxDbs: 5,
    encoding: 'string',
    overlappingSync: false,
    eventTurnBatching: false,
    noSubdir: false,
    permissionsMode: 0o600,
  } as const;
  try {
    const file = new RecordFile(open(options));
    // Reading waits for no lock that another process may hold; and what fails here fails the first write again.
    void Promise.allSettled([file.enter()]);
    return file;
  } catch (cause) {
    throw new Fault('STORE_FAILED', 'The file of the embedded store cannot be opened.', { cause });
  }
}

async function importLmdb() {
  // Bundlers bear with a package that is not there where a `catch` block stands around it, and not in every other form.
  try {
    return await import('lmdb');
  } catch (cause) {
    throw new Fault('CONFIG_INVALID', 'The embedded store needs the package lmdb: npm install lmdb', {
      cause,
    });
  }
}
