import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ServiceConfig } from '../../config/service-config.ts';
import { PRIVATE_FOLDER } from '../../folders/make-folder.ts';
import { embeddedFolder } from '../../server/open-store.ts';
import { makeNamedFolder } from '../option-folder.ts';
import type { ServeFlags } from './with-flags.ts';

/**
 * Makes the folders that the service is about to use, before anything else is opened: whoever named one that cannot be
 * used is told where. What the command line names is made in any case, and of the configuration only what is needed: keys
 * that are there may lie where nothing can be written.
 *
 * @param config with the flags in it
 * @param placeOf where the configuration has a field from
 * @throws Fault `INPUT_INVALID`
 */
export function makeFolders(
  config: ServiceConfig,
  flags: ServeFlags,
  placeOf: (field: string) => string,
): void {
  const { dataFolder, keyFile } = config;
  const data = flags.data === undefined ? placeOf('dataFolder') : '--data';
  if (flags.data !== undefined) makeNamedFolder(data, flags.data, PRIVATE_FOLDER);
  const records = embeddedFolder(config);
  // One without a name is the store's to refuse.
  if (records)
    makeNamedFolder(config.store === 'lmdb' ? data : storeName(flags, placeOf), records, PRIVATE_FOLDER);
  if (existsSync(keyFile)) return;
  const keyFolder = dirname(keyFile);
  makeNamedFolder(keyFolder === dataFolder ? data : placeOf('keyFile'), keyFolder, PRIVATE_FOLDER);
}

const storeName = ({ store }: ServeFlags, placeOf: (field: string) => string): string =>
  store === undefined ? placeOf('store') : '--store';
