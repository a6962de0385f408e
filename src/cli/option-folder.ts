import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../core/fault.ts';
import { isSystemError, systemErrorText } from './exit.ts';

/** The mode of folders with records: they are nobody else's business. */
export const OWNER_ONLY = 0o700;

/**
 * Makes the folder that an option names, or a field of the configuration, with those above it, and sees that it can be
 * written to.
 *
 * @param mode of the folders that are made; default: what the system gives
 * @throws Fault `INPUT_INVALID` that names the option.
 */
export function makeFolder(option: string, path: string, mode = 0o777): void {
  try {
    makeWithParents(path, mode);
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw naming(option, cause);
  }
}

/** What the system refuses at a place that an option names, as a fault that says which; anything else as it is. */
export function naming(option: string, cause: unknown): unknown {
  if (!isSystemError(cause)) return cause;
  return new Fault('INPUT_INVALID', `${option}: ${systemErrorText(cause)}`, { cause });
}

/** Not by the `recursive` of Node: where the parent is there and ENOENT comes all the same, as below /proc, that tries for ever. */
function makeWithParents(path: string, mode: number): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (!existsSync(parent)) makeWithParents(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (cause) {
    // Another process may have been faster.
    if (!isFolder(path)) throw cause;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
