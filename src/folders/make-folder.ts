import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The mode of folders with records and keys: they are nobody else's business. */
export const PRIVATE_FOLDER = 0o700;

/**
 * Makes a folder that may be there already, and those above it. Not by the `recursive` of Node: where the parent is there and
 * ENOENT comes all the same, as below /proc, that tries for ever.
 */
export function makeFolder(path: string, mode: number): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (cause) {
    // Another process may have been faster.
    if (!isFolder(path)) throw cause;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
