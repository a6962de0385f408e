import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { describe, expect, it } from 'vitest';
import type { Stranger } from './stranger.ts';
import { ownLine, type Strangers } from './strangers.ts';
import { run } from './workshop.ts';

/** Where nothing answers: what is told of that comes from a store that has been loaded as a whole. */
const program = `
import { createRedisStore } from 'portcullis/redis';
import { createPostgresStore } from 'portcullis/postgres';
const stores = [
  createRedisStore({ url: 'redis://127.0.0.1:1' }),
  createPostgresStore({ connectionString: 'postgres://127.0.0.1:1/x' }),
];
for (const store of stores) {
  console.log(await store.ready().then(() => 'reached', ({ code }) => code));
  await store.close();
}`;

/** A file of our modules and of all that they need, drivers apart, in a folder where none of our files are. */
async function bundle({ folder, write }: Stranger): Promise<string> {
  write('bundled.mjs', program);
  await build({
    configFile: false,
    root: folder,
    logLevel: 'error',
    ssr: { noExternal: true, external: ['redis', 'pg'], target: 'node' },
    build: { ssr: join(folder, 'bundled.mjs'), outDir: join(folder, 'bundle'), target: 'node20' },
  });
  return join(folder, 'bundle', 'bundled.js');
}

/** Applications are bundled, and looked into by tools that follow what a module says of itself. */
export function testBundles(strangers: Strangers): void {
  describe('a bundle', () => {
    it('holds all that the stores run inside of their servers', async (context) => {
      const stranger = await strangers.on(ownLine, context);
      const { stdout, stderr } = await stranger.beside(['redis', 'pg'], async () =>
        run(stranger.node, [await bundle(stranger)], { cwd: stranger.folder }),
      );
      expect({ stdout, stderr }).toEqual({ stdout: 'STORE_FAILED\nSTORE_FAILED\n', stderr: '' });
    });

    it('meets no store that would read files beside it', async (context) => {
      const { folder } = await strangers.on(ownLine, context);
      const stores = join(folder, 'node_modules', 'portcullis', 'dist', 'stores');
      const modules = ['redis/scripts.js', 'postgres/migrate.js'].map((path) =>
        readFileSync(join(stores, path), 'utf8'),
      );
      expect(modules.filter((code) => /readFileSync|node:fs/.test(code))).toEqual([]);
    });

    it('meets no module that names a source map: none is published', async (context) => {
      const { folder } = await strangers.on(ownLine, context);
      const dist = join(folder, 'node_modules', 'portcullis', 'dist');
      const modules = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((path) =>
        /\.(js|d\.ts)$/.test(path),
      );
      expect(modules.length).toBeGreaterThan(100);
      const naming = modules.filter((path) =>
        readFileSync(join(dist, path), 'utf8').includes('sourceMappingURL='),
      );
      expect(naming).toEqual([]);
    });
  });
}
