import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { makeKeyFile, newKeyFile, readKeyFile, secretsOf } from '../config/key-file.ts';
import { Fault } from '../core/fault.ts';
import { makeFolder, PRIVATE_FOLDER } from '../folders/make-folder.ts';

/** The secrets that keys are made with, and whether they had to be made. */
export interface ServiceSecrets {
  readonly secret: Buffer;
  readonly previousSecret?: Buffer;
  readonly isNew: boolean;
}

/**
 * Reads the key file; null where there is none yet.
 *
 * @throws Fault `CONFIG_INVALID` when there is one that is none.
 */
export function readSecrets(keyFile: string): ServiceSecrets | null {
  return existsSync(keyFile) ? { ...secretsOf(readKeyFile(keyFile)), isNew: false } : null;
}

/**
 * Makes a key file that only its owner can read, or reads the one of a process that was faster.
 *
 * @throws Fault `CONFIG_INVALID` when that is none.
 */
export function makeSecrets(keyFile: string): ServiceSecrets {
  makeFolder(dirname(keyFile), PRIVATE_FOLDER);
  const isNew = makeKeyFile(keyFile, newKeyFile());
  return { ...secretsOf(readKeyFile(keyFile)), isNew };
}

/** Whether the key file holds other secrets than those in use, or none that can be read. */
export function isOtherKeyFile(keyFile: string, inUse: Omit<ServiceSecrets, 'isNew'>): boolean {
  try {
    return !isDeepStrictEqual(secretsOf(readKeyFile(keyFile)), inUse);
  } catch (cause) {
    if (cause instanceof Fault) return true;
    throw cause;
  }
}
