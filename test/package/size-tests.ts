import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { describe, expect, it } from 'vitest';
import type { PackedPackage } from './packed-package.ts';
import type { Stranger } from './stranger.ts';
import { ownLine, type Strangers } from './strangers.ts';
import { root } from './workshop.ts';

/** What may not be exceeded without somebody looking at why, in kB (1000 bytes). */
const mostKb = { tarball: 1_200, unpacked: 3_950, core: 32, gateway: 24.5 };

/** What a page of the documentation says: `| the tarball | 830 kB |`. */
const documented = new URL('docs/internals/package.md', `file://${root}`);

/** How far a documented number may be from the truth. */
const tolerance = 0.05;

/** The size of what a bundler makes of some lines in a stranger's project, minified and gzipped, in kB. */
async function bundledKb({ folder, write }: Stranger, code: string): Promise<number> {
  write('bundled.mjs', code);
  const made = await build({
    configFile: false,
    root: folder,
    logLevel: 'error',
    ssr: { noExternal: true, target: 'node' },
    build: { ssr: join(folder, 'bundled.mjs'), minify: true, write: false, target: 'node20' },
  });
  if (Array.isArray(made) || !('output' in made))
    throw new TypeError('vite made something else than one bundle');
  const chunks = made.output.map((part) => (part.type === 'chunk' ? part.code : ''));
  return gzipSync(chunks.join('\n')).length / 1000;
}

/** Compares a number with the page and with what is tolerated. */
function expectDocumented(words: string, kb: number, most: number): void {
  const text = readFileSync(documented, 'utf8');
  const [, said] = new RegExp(`\\| ${words}[^|]*\\| ([\\d.]+) kB \\|`).exec(text) ?? [];
  const claim = `docs/internals/package.md: "${words}" should say ${kb.toFixed(kb < 100 ? 1 : 0)} kB, says ${said}`;
  expect(Math.abs(Number(said) - kb) / kb, claim).toBeLessThan(tolerance);
  expect(kb, `${words} has grown: look at why, then raise the bound`).toBeLessThan(most);
}

/** How much one takes on with the package. */
export function testSizes(packed: () => PackedPackage, strangers: Strangers): void {
  describe('sizes', () => {
    it('of what is downloaded are as documented', () => {
      const { bytes, unpackedSize } = packed();
      expectDocumented('the tarball', bytes.length / 1000, mostKb.tarball);
      expectDocumented('the same unpacked', unpackedSize / 1000, mostKb.unpacked);
    });

    it('of what a program takes along are as documented', async (context) => {
      const stranger = await strangers.on(ownLine, context);
      const core = `export { createGuard } from 'portcullis';\nexport { createMemoryStore } from 'portcullis/memory';`;
      expectDocumented('a guard with the memory store', await bundledKb(stranger, core), mostKb.core);
      const gateway = `export { createLimiter } from 'portcullis/limits';\nexport * from 'portcullis/express';`;
      expectDocumented('limits in Express', await bundledKb(stranger, gateway), mostKb.gateway);
    });

    it('of what is imported and not used are nothing', async (context) => {
      const stranger = await strangers.on(ownLine, context);
      const { modules } = packed();
      // Dependencies of ours may do something when they are loaded; our own modules do not.
      const own = modules.filter((name) => !/server|svc-client/.test(name));
      const kb = await bundledKb(stranger, own.map((name) => `import '${name}';`).join('\n'));
      expect(kb).toBeLessThan(0.1);
    });
  });
}
