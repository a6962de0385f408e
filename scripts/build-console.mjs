// Builds the web page of the service into `dist/console`, unless what is there is what the sources make.
// `node scripts/build-console.mjs [FOLDER]`; other scripts call `buildConsole`.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { BundledPackages } from './bundled-licences.mjs';
import { cache, inTurn, root, say } from './setup.mjs';

const source = join(root, 'console');
/** The page runs the same core as the library; a change there is a change of the page. */
const folders = [
  'console',
  'src/abuse',
  'src/adapters',
  'src/cli/compare',
  'src/cli/replay',
  'src/config',
  'src/core',
  'src/guard',
  'src/identity',
  'src/limits',
  'src/stores',
  'src/telemetry/decision-log',
];
const skipped = /\.test\.tsx?$|[\\/]node_modules[\\/]/;

/** Makes `target` current. Returns whether it stands. */
export async function buildConsole(target = join(root, 'dist', 'console')) {
  const wanted = `${hashOfInputs()} ${target}`;
  return isCurrent(target, wanted) || inTurn(() => isCurrent(target, wanted) || build(target, wanted));
}

const stamp = join(cache, 'console.sha256');
const readStamps = () => (existsSync(stamp) ? readFileSync(stamp, 'utf8').split('\n') : []);
const isCurrent = (target, wanted) => existsSync(join(target, 'index.html')) && readStamps().includes(wanted);

async function build(target, wanted) {
  say('building the console');
  const fresh = join(root, 'node_modules', `.portcullis-console-${process.pid}`);
  try {
    await bundle(fresh);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    console.error(error instanceof Error ? error.message : String(error));
    return false;
  }
  rmSync(target, { recursive: true, force: true });
  mkdirSync(dirname(target), { recursive: true });
  renameSync(fresh, target);
  mkdirSync(cache, { recursive: true });
  const others = readStamps()
    .filter((line) => line !== '' && !line.endsWith(` ${target}`))
    .slice(-7);
  writeFileSync(stamp, [...others, wanted].join('\n'));
  return true;
}

/** Nothing inline and nothing from elsewhere: the page is served under `script-src 'self'; style-src 'self'`. */
async function bundle(outDir) {
  const { build } = await import('vite');
  // Whoever calls us (a test, say), the page is the one that is shipped.
  process.env.NODE_ENV = 'production';
  const packages = new BundledPackages();
  await build({
    configFile: false,
    root: source,
    base: './',
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    plugins: [withoutNode, packages.plugin()],
    worker: { format: 'es', plugins: () => [withoutNode, packages.plugin()] },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: false,
      reportCompressedSize: false,
    },
  });
  writeFileSync(join(outDir, 'licences.txt'), packages.licences());
}

/** Files are named in a configuration; a page has none, and says so as the system would. */
const noFiles = `export const openSync = () => {
  throw Object.assign(new TypeError('a page cannot read files'), { code: 'ENOENT' });
};
export const closeSync = openSync, fstatSync = openSync, readSync = openSync, readFileSync = openSync;`;

/** What of Node the rules of a replay are read with, in as much of it as a page needs. */
const inlined = {
  'node:fs': noFiles,
  'node:path': "export const resolve = (...parts) => parts.join('/'), dirname = (path) => path;",
  'node:cluster': 'export default { isWorker: false };',
  'node:dns/promises': 'export class Resolver {}',
};
const standIns = join(source, 'src', 'stand-ins');
const replaced = {
  'node:crypto': join(standIns, 'node-crypto.ts'),
  'node:net': join(standIns, 'node-net.ts'),
};
/** Modules of ours that stand on Node altogether. */
const ownReplaced = {
  [join(root, 'src', 'identity', 'hmac.ts')]: join(standIns, 'hmac.ts'),
  [join(root, 'src', 'limits', 'warning.ts')]: join(standIns, 'warning.ts'),
};

const withoutNode = {
  name: 'without-node',
  enforce: 'pre',
  async resolveId(id, importer, options) {
    if (Object.hasOwn(inlined, id)) return `\0${id}`;
    if (Object.hasOwn(replaced, id)) return replaced[id];
    // Vite would warn, put nothing in its place, and the page would find out when it is called.
    if (id.startsWith('node:')) this.error(`${importer} imports ${id}, which a page does not have.`);
    if (!/\/(hmac|warning)\.ts$/.test(id)) return null;
    const found = await this.resolve(id, importer, { ...options, skipSelf: true });
    return found === null ? null : (ownReplaced[found.id] ?? found);
  },
  load: (id) => (id.startsWith('\0node:') ? (inlined[id.slice(1)] ?? null) : null),
};

function hashOfInputs() {
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)));
  for (const path of [...folders.flatMap(filesUnder), 'scripts/bundled-licences.mjs', 'package-lock.json']) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesUnder(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !skipped.test(path))
    .sort();
}

/** What a browser loads, in bytes as sent with gzip, by file. */
export function sizesOf(target) {
  return readdirSync(target, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: path.slice(target.length + 1), gzipped: gzipSync(readFileSync(path)).length }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const target = process.argv[2] ?? join(root, 'dist', 'console');
  if (!(await buildConsole(target))) process.exit(1);
  const sizes = sizesOf(target);
  for (const { path, gzipped } of sizes) say(`${String(gzipped).padStart(8)} B gz  ${path}`);
  say(`${String(sizes.reduce((sum, { gzipped }) => sum + gzipped, 0)).padStart(8)} B gz  in all`);
}
