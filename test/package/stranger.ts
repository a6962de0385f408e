import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeOf } from './nodes.ts';
import { npm } from './npm.ts';
import { linkPackage, type PackedPackage } from './packed-package.ts';
import { type Ended, emptyFolder, removeFolder, run } from './workshop.ts';

/** The project of somebody who has installed the package and knows nothing else of it. */
export interface Stranger {
  readonly folder: string;
  readonly node: string;
  /** What `npm install` said. */
  readonly installed: Ended;
  /** Does something while packages stand beside ours: those that the repository has. */
  beside<T>(names: readonly string[], work: () => Promise<T>): Promise<T>;
  write(file: string, text: string): void;
  /** Runs lines as a module of the project. */
  runModule(code: string): Promise<Ended>;
  /** Runs the command, as `npx portcullis` does. */
  portcullis(args: readonly string[], input?: string): Promise<Ended>;
  remove(): void;
}

/**
 * Installs the package into an empty project, by the npm at hand, run by a Node of the given line.
 *
 * @param neighbours what is installed with it, by name and version, and options of npm
 * @throws RegistryAway when the registry cannot be reached.
 */
export async function strangerOn(
  line: number,
  { tarball }: PackedPackage,
  neighbours: readonly string[] = [],
): Promise<Stranger> {
  const node = await nodeOf(line);
  const folder = emptyFolder('stranger');
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
  write('package.json', JSON.stringify({ name: 'stranger', private: true, type: 'module' }));
  const installed = await npm(node, ['install', tarball, ...neighbours], folder).catch((error: unknown) => {
    removeFolder(folder);
    throw error;
  });
  return {
    folder,
    node,
    installed,
    beside: async (names, work) => {
      for (const name of names) linkPackage(name, folder);
      try {
        return await work();
      } finally {
        for (const name of names) removeFolder(join(folder, 'node_modules', name));
      }
    },
    write,
    runModule: (code) => {
      write('program.mjs', code);
      return run(node, ['program.mjs'], { cwd: folder });
    },
    portcullis: (args, input) =>
      run(node, [join('node_modules', '.bin', 'portcullis'), ...args], {
        cwd: folder,
        ...(input === undefined ? {} : { input }),
      }),
    remove: () => removeFolder(folder),
  };
}
