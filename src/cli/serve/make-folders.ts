import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ServiceConfig } from '../../config/service-config.ts';
import { embeddedFolder } from '../../server/open-store.ts';
import { makeFolder, OWNER_ONLY } from '../option-folder.ts';
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
  if (flags.data !== undefined) makeFolder(data, flags.data, OWNER_ONLY);
  const records = embeddedFolder(config);
  // One without a name is the store's to refuse.
  if (records) makeFolder(config.store === 'lmdb' ? data : storeName(flags, placeOf), records, OWNER_ONLY);
  if (existsSync(keyFile)) return;
  const keyFolder = dirname(keyFile);
  makeFolder(keyFolder === dataFolder ? data : placeOf('keyFile'), keyFolder, OWNER_ONLY);
}

const storeName = ({ store }: ServeFlags, placeOf: (field: string) => string): string =>
  store === undefined ? placeOf('store') : '--store';
