import { posix } from 'node:path';
import { type Finding, isSource, type SourceFile } from './repository.ts';
import { importsOf, loadedBy } from './syntax.ts';

const rails = ['limits', 'concurrency', 'svc-client', 'abuse'];

/**
 * Which layer may import which, besides itself. A folder of `stores` or `adapters` is a layer of its own: it may
 * use the files beside it (`stores/store.ts`), never a sibling folder. `*` stands for everything but the
 * composition roots. A folder without a line here has no place in the house yet.
 */
const layerTable: Readonly<Record<string, readonly string[]>> = {
  core: [],
  connections: [],
  folders: [],
  listeners: ['core'],
  operators: ['core'],
  identity: ['core'],
  device: ['core', 'identity'],
  stores: ['core'],
  'stores/*': ['core', 'folders', 'stores'],
  guard: ['core', 'listeners', 'operators', 'identity', 'stores'],
  limits: ['core', 'listeners', 'identity', 'stores'],
  concurrency: ['core', 'connections', 'listeners', 'operators', 'stores'],
  'svc-client': ['core', 'listeners', 'operators', 'identity'],
  abuse: ['core', 'listeners', 'identity', 'stores', 'limits'],
  kratos: ['core', 'connections', 'identity', 'stores', 'guard'],
  adapters: ['core', 'connections', 'identity', 'device', 'guard', ...rails],
  'adapters/*': ['core', 'connections', 'identity', 'device', 'guard', ...rails, 'adapters'],
  telemetry: ['core', 'folders', 'guard', ...rails],
  config: ['core', 'identity', 'stores/redis', 'guard', ...rails, 'kratos', 'telemetry'],
  testing: ['*'],
  entry: ['*'],
  server: ['*'],
  cli: ['*', 'server'],
};

const compositionRoots = ['server', 'cli'];

/** Imports that go against the table. */
export function wrongDirections(files: readonly SourceFile[]): Finding[] {
  return sources(files).flatMap((file) =>
    importsOf(file).flatMap(({ from, line }) => {
      const layer = layerOf(file.path);
      const what = layer === null ? 'has no layer: add one' : objection(layer, file.path, from);
      return what === null ? [] : [{ path: file.path, line, what }];
    }),
  );
}

/** Files in folders that the table does not know. */
export function unknownFolders(files: readonly SourceFile[]): Finding[] {
  return sources(files)
    .filter((file) => rowOf(layerOf(file.path)) === undefined)
    .map((file) => ({
      path: file.path,
      line: 0,
      what: 'lies in a folder without a line in the table of layers',
    }));
}

function objection(layer: string, path: string, from: string): string | null {
  if (!from.startsWith('.')) {
    return layer === 'core' ? `core imports nothing, not even ${from}` : null;
  }
  const target = layerOf(posix.join(posix.dirname(path), from));
  if (target === null) return `imports ${from}, outside of src`;
  if (target === layer || mayImport(layer, target)) return null;
  return `${layer} must not import ${target}`;
}

function mayImport(layer: string, target: string): boolean {
  const allowed = rowOf(layer) ?? [];
  return allowed.includes(target) || (allowed.includes('*') && !compositionRoots.includes(target));
}

function rowOf(layer: string | null): readonly string[] | undefined {
  if (layer === null) return undefined;
  return layerTable[layer] ?? layerTable[layer.replace(/\/.*/, '/*')];
}

/** `core`, `stores`, `stores/redis`, `entry` for the files directly in src; null outside of it. */
function layerOf(path: string): string | null {
  const [top, folder, second, third] = path.split('/');
  if (top !== 'src' || folder === undefined) return null;
  if (second === undefined) return 'entry';
  const split = folder === 'stores' || folder === 'adapters';
  return split && third !== undefined ? `${folder}/${second}` : folder;
}

/** Chains of imports that come back to where they began; each once, from its first file. */
export function importCycles(files: readonly SourceFile[]): Finding[] {
  const graph = new Map(
    sources(files).map((file) => [
      file.path,
      importsOf(file)
        .filter(({ from }) => from.startsWith('.'))
        .map(({ from }) => posix.join(posix.dirname(file.path), from)),
    ]),
  );
  const findings: Finding[] = [];
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      findings.push({ path, line: 0, what: `imports itself: ${[...trail.slice(start), path].join(' → ')}` });
      return;
    }
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) walk(path, []);
  return findings;
}

/** What a command does is loaded once it is called: these are what takes the time to load. */
const heavyLayers = /^src\/(?:config|guard|identity|limits|server\/(?!version)|stores)\//;

/** Files that the command line loads before it knows which command is called, and need not. */
export function eagerLoads(files: readonly SourceFile[], main = 'src/cli/main.ts'): Finding[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set([main]);
  const findings: Finding[] = [];
  for (const path of reached) {
    const file = byPath.get(path);
    for (const { from, line } of file === undefined ? [] : loadedBy(file)) {
      const target = posix.join(posix.dirname(path), from);
      if (heavyLayers.test(target)) findings.push({ path, line, what: `loads ${from} for every command` });
      else if (from.startsWith('.')) reached.add(target);
    }
  }
  return findings;
}

/** Drivers and frameworks are optional peers: only the folder made for one may load it. */
const homes: Readonly<Record<string, RegExp>> = {
  redis: /^src\/stores\/redis\//,
  ioredis: /^src\/stores\/redis\//,
  iovalkey: /^src\/stores\/redis\//,
  '@valkey/valkey-glide': /^src\/stores\/redis\//,
  pg: /^src\/stores\/postgres\//,
  lmdb: /^src\/stores\/lmdb\//,
  express: /^src\/adapters\/express\//,
  fastify: /^src\/adapters\/fastify\//,
  hono: /^src\/adapters\/hono\//,
  koa: /^src\/adapters\/koa\//,
  commander: /^src\/cli\//,
  vitest: /^src\/testing\//,
};

/** Imports of a driver or framework outside of its folder. */
export function strayPeers(files: readonly SourceFile[]): Finding[] {
  return sources(files).flatMap((file) =>
    importsOf(file).flatMap(({ from, line }) => {
      const home = Object.entries(homes).find(([name]) => from === name || from.startsWith(`${name}/`))?.[1];
      if (home === undefined || home.test(file.path)) return [];
      return [
        { path: file.path, line, what: `${from} belongs into ${home.source.slice(1).replaceAll('\\', '')}` },
      ];
    }),
  );
}

function sources(files: readonly SourceFile[]): SourceFile[] {
  return files.filter((file) => isSource(file.path));
}
