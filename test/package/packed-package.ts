import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { npm } from './npm.ts';
import { emptyFolder, removeFolder, root } from './workshop.ts';

/** A file of the package, by its path in it. */
export interface PackedFile {
  readonly path: string;
  readonly size: number;
}

/** The package as it would be published. */
export interface PackedPackage {
  readonly tarball: string;
  readonly bytes: Buffer;
  readonly unpackedSize: number;
  readonly files: readonly PackedFile[];
  readonly manifest: Manifest;
  /** What one can import: `portcullis`, `portcullis/memory`, … without data. */
  readonly modules: readonly string[];
  /** The text of one of its files. */
  read(path: string): string;
  remove(): void;
}

/** The parts of package.json that are asked about. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly engines: { readonly node: string };
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
}

/** All that a publisher has and `npm pack` needs. */
const sources = [
  'src',
  'console',
  'scripts',
  'docs/reference/config.schema.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
];

/**
 * Packs a copy of the sources, with the build that publishing runs, so that `dist` of the repository is neither used nor
 * touched.
 */
export async function packPackage(): Promise<PackedPackage> {
  const folder = emptyFolder('pack');
  for (const path of sources) {
    cpSync(join(root, path), join(folder, path), {
      recursive: true,
      filter: (from) => !from.endsWith('/node_modules'),
    });
  }
  linkPackages(folder);
  const { code, stdout, stderr } = await npm(process.execPath, ['pack', '--json'], folder);
  if (code !== 0) throw new TypeError(`npm pack ended with ${code}:\n${stdout}${stderr}`);
  // The build may say something before it.
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [
    { filename: string; unpackedSize: number; files: PackedFile[] },
  ];
  const tarball = join(folder, packed.filename);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  return {
    tarball,
    bytes: readFileSync(tarball),
    unpackedSize: packed.unpackedSize,
    files: packed.files,
    manifest,
    modules: Object.keys(manifest.exports)
      .filter((subpath) => !subpath.endsWith('.json'))
      .map((subpath) => `${manifest.name}${subpath.slice(1)}`),
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    remove: () => removeFolder(folder),
  };
}

/** The build finds what is installed, in a folder that it may write to. */
function linkPackages(folder: string): void {
  const home = join(folder, 'node_modules');
  mkdirSync(home);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '.cache') linkPackage(name, folder);
  }
}

/** Makes one package of the repository one of the folder's. */
export function linkPackage(name: string, folder: string): void {
  const place = join(folder, 'node_modules', name);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(join(root, 'node_modules', name), place);
}
