import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './npm.ts';
import { root } from './workshop.ts';

/** One of each line of Node that the package is made for; of the oldest line the oldest that `engines` admits. */
const versions: Readonly<Record<number, string>> = { 20: '20.19.0', 22: '22.23.3', 24: '24.21.0' };

export const nodeLines = Object.keys(versions).map(Number);

/**
 * The program of a Node of this line: the one that runs the tests where that fits, else one that the registry has as a
 * package. It is kept in the cache of the repository.
 *
 * @throws RegistryAway when there is none yet and the registry cannot be reached.
 */
export async function nodeOf(line: number): Promise<string> {
  if (process.versions.node.startsWith(`${line}.`)) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const cache = join(root, 'node_modules', '.cache', 'portcullis');
  const home = join(cache, `${name}-${versions[line]}`);
  const program = join(home, 'node_modules', name, 'bin', 'node');
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, 'node-'));
  writeFileSync(join(fresh, 'package.json'), '{ "private": true }');
  const { code, stderr } = await npm(process.execPath, ['install', `${name}@${versions[line]}`], fresh);
  if (code !== 0) throw new TypeError(`${name} ${versions[line]} cannot be installed:\n${stderr}`);
  rmSync(home, { recursive: true, force: true });
  renameSync(fresh, home);
  return program;
}
