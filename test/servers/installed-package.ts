import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A folder in which the package is installed, as at somebody who uses it. */
export interface Installation {
  readonly folder: string;
  /** Copies a folder of the repository there. */
  copy(name: string): string;
  remove(): void;
}

/** Compiles from the sources, so that nothing runs that an earlier build has left in `dist`. */
export function installPackage(): Installation {
  const cache = join(root, 'node_modules', '.cache', 'portcullis');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'installed-'));
  const home = join(folder, 'node_modules', 'portcullis');
  mkdirSync(home, { recursive: true });
  execFileSync(
    process.execPath,
    [compilerPath(), '-p', join(root, 'tsconfig.build.json'), '--noCheck', '--outDir', home],
    { cwd: root, stdio: 'inherit' },
  );
  cpSync(join(root, 'src'), home, { recursive: true, filter: (path) => !/\.ts$/.test(path) });
  writeFileSync(
    join(home, 'package.json'),
    JSON.stringify({ name: 'portcullis', type: 'module', exports: publicExports() }),
  );
  linkPackages(folder);
  return {
    folder,
    copy: (name) => {
      cpSync(join(root, name), join(folder, name), { recursive: true });
      return join(folder, name);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** What package.json promises, without the folder that a build would put in front. */
function publicExports(): Readonly<Record<string, string>> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { default: string }>;
  };
  return Object.fromEntries(
    Object.entries(exports).flatMap(([name, target]) =>
      typeof target === 'string' ? [] : [[name, target.default.replace('./dist/', './')]],
    ),
  );
}

/** The other packages are those of the repository. */
function linkPackages(folder: string): void {
  const installed = join(root, 'node_modules');
  for (const name of readdirSync(installed)) {
    if (name.startsWith('.') || name === 'portcullis') continue;
    symlinkSync(join(installed, name), join(folder, 'node_modules', name));
  }
}

export function compilerPath(): string {
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
  return join(dirname(manifest), 'bin', 'tsc');
}
