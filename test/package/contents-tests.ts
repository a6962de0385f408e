import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { describe, expect, it } from 'vitest';
import type { PackedPackage } from './packed-package.ts';
import { root } from './workshop.ts';

/** What is read at run time besides modules, and what a stranger reads. */
const otherFiles = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'dist/console/icon.svg',
  'dist/console/index.html',
  'dist/console/licences.txt',
  'dist/server/grpc/protos/authorization.proto',
  'dist/server/grpc/protos/health.proto',
  'dist/server/grpc/protos/rate-limit.proto',
  'dist/stores/postgres/migrations/0001-records.sql',
  'dist/stores/redis/clock.lua',
  'dist/stores/redis/commit.lua',
  'dist/stores/redis/count.lua',
  'dist/stores/redis/fingerprint.lua',
  'dist/stores/redis/set-aside.lua',
  'dist/stores/redis/take-back.lua',
  'docs/reference/config.schema.json',
  'package.json',
];

/** What the package is made of, and what tools that know packages say of it. */
export function testContents(packed: () => PackedPackage): void {
  describe('what is published', () => {
    it('is modules with their declarations, the console and what is read at run time, and nothing else', () => {
      const paths = packed().files.map(({ path }) => path);
      const modules = paths.filter((path) => /^dist\/(?!console\/).*\.js$/.test(path));
      const declarations = paths.filter((path) => path.endsWith('.d.ts'));
      expect(declarations.map((path) => path.replace(/\.d\.ts$/, '.js')).sort()).toEqual(modules.sort());
      const assets = paths.filter((path) => /^dist\/console\/assets\/.*\.(js|css)$/.test(path));
      expect(assets.map((path) => path.replace(/^.*\/(.*)-[\w-]{8}\./, '$1.')).sort()).toEqual([
        'feed-worker.js',
        'index.css',
        'index.js',
        'log-replay.js',
        'replay-worker.js',
      ]);
      const named = new Set([...modules, ...declarations, ...assets]);
      expect(paths.filter((path) => !named.has(path)).sort()).toEqual(otherFiles);
      expect(paths.filter((path) => /\.(test|bench)\.|\.map$/.test(path))).toEqual([]);
    });

    it('has the licences of what the console holds, of its workers too', () => {
      const licences = packed().read('dist/console/licences.txt');
      const holders = {
        preact: 'Jason Miller',
        typebox: 'Haydn Paterson',
        uplot: 'Leon Sorokin',
        yaml: 'Eemeli',
      };
      for (const [name, holder] of Object.entries(holders)) {
        expect(licences).toMatch(new RegExp(`^${name} [\\d.]+\n\n[^]*?Copyright.*${holder}`, 'm'));
      }
      expect(licences.match(/^[\w@/.-]+ \d+\.\d+\.\d+$/gm)).toHaveLength(Object.keys(holders).length);
    });

    it('runs nothing when it is installed', () => {
      const { scripts } = packed().manifest;
      const onInstall = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare'];
      expect(onInstall.filter((name) => name in scripts)).toEqual([]);
      expect(packed().files.some(({ path }) => path.endsWith('binding.gyp'))).toBe(false);
    });

    it('needs no package but those it names', () => {
      const { dependencies, peerDependencies, peerDependenciesMeta } = packed().manifest;
      expect(Object.keys(peerDependenciesMeta).sort()).toEqual(Object.keys(peerDependencies).sort());
      expect(Object.values(peerDependenciesMeta).every(({ optional }) => optional)).toBe(true);
      expect(Object.keys(dependencies).filter((name) => name in peerDependencies)).toEqual([]);
    });

    it('says that it runs on the Node that the lock file asks for', () => {
      const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
      expect(packages[''].engines).toEqual(packed().manifest.engines);
    });
  });

  describe('tools that know packages', () => {
    it('publint finds nothing to say', async () => {
      const { bytes } = packed();
      const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
      const { messages } = await publint({ pack: { tarball }, strict: true });
      expect(messages).toEqual([]);
    });

    it('arethetypeswrong finds nothing wrong with the types of an ESM package', async () => {
      const checked = await checkPackage(createPackageFromTarballData(packed().bytes));
      if (checked.types === false) throw new TypeError('the package has no types');
      expect(Object.keys(checked.entrypoints)).toContain('./redis');
      expect(checked.problems.filter(isOurs)).toEqual([]);
    });
  });
}

/** ESM alone is what we publish: whoever resolves like Node 10 is told so; whoever requires is served by Node itself. */
function isOurs(problem: Problem): boolean {
  if (problem.kind === 'NoResolution') return problem.resolutionKind !== 'node10';
  return problem.kind !== 'CJSResolvesToESM';
}
