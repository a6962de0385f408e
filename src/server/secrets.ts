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
 * Reads the key file, or makes one that only its owner can read.
 *
 * @throws Fault `CONFIG_INVALID` when there is one that is none.
 */
export function openSecrets(keyFile: string): ServiceSecrets {
  const isNew = !existsSync(keyFile) && makeSecrets(keyFile);
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

/** False when another process was faster. */
function makeSecrets(keyFile: string): boolean {
  makeFolder(dirname(keyFile), PRIVATE_FOLDER);
  return makeKeyFile(keyFile, newKeyFile());
}
