import { accessSync, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../core/fault.ts';
import { makeFolder, PRIVATE_FOLDER } from '../../folders/make-folder.ts';

/**
 * The places of what is needed in a meta page of lmdb 3, data format 2. The first two pages of a file are such pages; the
 * one with the higher transaction counts.
 */
const magic = { at: 24, value: 0xbeefc0de };
const format = { at: 28, value: 2 };
const pageSizeAt = 48;
const rootsAt = [88, 136];
const transactionAt = 152;
const headBytes = 160;
const noPage = 0xffff_ffff_ffff_ffffn;

/** A file that another process is about to make looks damaged for a moment. */
const maxLooks = 25;
const betweenLooksMs = 20;

/**
 * Makes the folder and looks at what is in it. lmdb ends the whole process when it cannot open a file, so what it would
 * stumble over is found before: a folder that cannot be written, a file that is not a database or is cut short.
 *
 * @throws Fault `STORE_FAILED`
 */
export async function checkFolder(path: string): Promise<void> {
  try {
    makeFolder(path, PRIVATE_FOLDER);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    readFile(join(path, 'lock.mdb'), () => true);
    for (let looks = 1; looks <= maxLooks; looks += 1) {
      if (readFile(join(path, 'data.mdb'), isWhole)) return;
      await sleep(betweenLooksMs);
    }
  } catch (cause) {
    throw new Fault('STORE_FAILED', 'The folder of the embedded store cannot be used.', { cause });
  }
  throw new Fault(
    'STORE_FAILED',
    'The file of the embedded store is damaged. Remove it, or put back a copy.',
  );
}

/** What `look` finds in a file that can be written; true where there is none. */
function readFile(path: string, look: (file: number, size: number) => boolean): boolean {
  const file = openIfThere(path);
  if (file === null) return true;
  try {
    const { size } = fstatSync(file);
    return size === 0 || look(file, size);
  } finally {
    closeSync(file);
  }
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r+');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Whether both meta pages are there and the pages that the newer one begins with lie within the file. */
function isWhole(file: number, size: number): boolean {
  const first = headAt(file, 0);
  if (first === null) return false;
  const pageSize = first.readUInt32LE(pageSizeAt);
  const second = headAt(file, pageSize);
  if (second === null) return false;
  const isFirstNewer = first.readBigUInt64LE(transactionAt) > second.readBigUInt64LE(transactionAt);
  const newer = isFirstNewer ? first : second;
  return rootsAt.every((at) => {
    const root = newer.readBigUInt64LE(at);
    return root === noPage || (root + 1n) * BigInt(pageSize) <= BigInt(size);
  });
}

function headAt(file: number, at: number): Buffer | null {
  const head = Buffer.alloc(headBytes);
  if (readSync(file, head, 0, headBytes, at) < headBytes) return null;
  const isMeta = head.readUInt32LE(magic.at) === magic.value && head.readUInt32LE(format.at) === format.value;
  return isMeta ? head : null;
}
