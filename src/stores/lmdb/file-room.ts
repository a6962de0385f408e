import { randomBytes } from 'node:crypto';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFault } from './lmdb-faults.ts';

/** More than a file takes before its first record. */
const leastBytes = 64 * 1024;

/**
 * Makes sure that a new file has room. lmdb maps its files into memory before the disk has given them a place, and where
 * there is none the whole process ends by a signal. A file that has its place is opened on a full disk too: it can be read.
 *
 * @throws Fault `STORE_FULL`
 */
export async function checkRoom(path: string): Promise<void> {
  if (sizesOf(join(path, 'data.mdb')).bytes >= leastBytes && sizesOf(join(path, 'lock.mdb')).blocks > 0)
    return;
  const trial = join(path, 'room.tmp');
  try {
    // Not zeros, which some file systems keep for nothing.
    writeFileSync(trial, randomBytes(leastBytes), { mode: 0o600 });
  } catch (cause) {
    throw await writeFault(cause);
  } finally {
    rmSync(trial, { force: true });
  }
}

function sizesOf(file: string): { readonly bytes: number; readonly blocks: number } {
  const { size = 0, blocks = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return { bytes: size, blocks };
}
