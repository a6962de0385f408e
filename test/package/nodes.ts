import { npmProgram } from './registry-programs.ts';

/** One of each line of Node that the package is made for; of the oldest line the oldest that `engines` admits. */
const versions: Readonly<Record<number, string>> = {
  20: '20.19.0',
  22: '22.23.3',
  24: '24.21.0',
  26: '26.10.0',
};

export const nodeLines = Object.keys(versions).map(Number);

/**
 * The program of a Node of this line: the one that runs the tests where that fits, else one that the registry has as a
 * package.
 *
 * @throws RegistryAway when there is none yet and the registry cannot be reached.
 */
export async function nodeOf(line: number): Promise<string> {
  if (process.versions.node.startsWith(`${line}.`)) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  return npmProgram({ name, version: versions[line] ?? String(line), path: 'bin/node' });
}
