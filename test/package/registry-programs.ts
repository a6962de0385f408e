import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './npm.ts';
import { root } from './workshop.ts';

/** A program that the registry has as a package. */
export interface RegistryProgram {
  readonly name: string;
  readonly version: string;
  /** Where it stands in the package. */
  readonly path: string;
}

/**
 * The path of a program, which is kept in the cache of the repository.
 *
 * @throws RegistryAway when it is not there yet and the registry cannot be reached.
 */
export async function npmProgram({ name, version, path }: RegistryProgram): Promise<string> {
  const cache = join(root, 'node_modules', '.cache', 'portcullis');
  const home = join(cache, `${name.replace('/', '-')}-${version}`);
  const program = join(home, 'node_modules', name, path);
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, 'program-'));
  writeFileSync(join(fresh, 'package.json'), '{ "private": true }');
  const { code, stderr } = await npm(process.execPath, ['install', `${name}@${version}`], fresh);
  if (code !== 0) throw new TypeError(`${name} ${version} cannot be installed:\n${stderr}`);
  rmSync(home, { recursive: true, force: true });
  renameSync(fresh, home);
  return program;
}
