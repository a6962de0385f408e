import { accessSync, constants } from 'node:fs';
import { Fault } from '../core/fault.ts';
import { makeFolder } from '../folders/make-folder.ts';
import { isSystemError, systemErrorText } from './exit.ts';

/**
 * Makes the folder that an option names, or a field of the configuration, with those above it, and sees that it can be
 * written to.
 *
 * @param mode of the folders that are made; default: what the system gives
 * @throws Fault `INPUT_INVALID` that names the option.
 */
export function makeNamedFolder(option: string, path: string, mode = 0o777): void {
  try {
    makeFolder(path, mode);
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
