import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startService } from './served.ts';
import type { Stranger } from './stranger.ts';
import { ownLine, type Strangers } from './strangers.ts';

/** How each store that stands on a driver is opened where nothing answers. */
const stores = {
  redis: `(await import('portcullis/redis')).createRedisStore({ url: 'redis://127.0.0.1:1' })`,
  pg: `(await import('portcullis/postgres')).createPostgresStore({ connectionString: 'postgres://127.0.0.1:1/x' })`,
  lmdb: `(await import('portcullis/lmdb')).createLmdbStore({ path: 'records' })`,
} as const;

/** What an attempt to reach a store gave: `reached`, or the code and the words of the fault. */
async function reach(stranger: Stranger, store: string): Promise<string> {
  const { stdout, stderr } = await stranger.runModule(`
    const store = ${store};
    const told = await store.ready().then(() => 'reached', ({ code, message }) => code + ': ' + message);
    await store.close?.();
    console.log(told);
    process.exit(0);`);
  return stdout.trim() === '' ? stderr : stdout.trim();
}

const configured = (config: object) => JSON.stringify({ listen: { port: 0, grpcPort: 0 }, ...config });

/** Drivers are optional: without one, words that help; with one alone, nothing else is missed. */
export function testPeers(strangers: Strangers): void {
  describe('a package that is not installed', () => {
    it.for(Object.entries(stores))('%s: its store says so', async ([name, store], context) => {
      const stranger = await strangers.on(ownLine, context);
      expect(await reach(stranger, store)).toMatch(
        new RegExp(`^CONFIG_INVALID: .* needs the package ${name}: npm install ${name}(;|$)`),
      );
    });

    it('lmdb: serve also says how to do without', async (context) => {
      const stranger = await strangers.on(ownLine, context);
      stranger.write('first.json', configured({ keyFile: './first/keys.json' }));
      const { code, stderr } = await stranger.portcullis(['serve', '--config', 'first.json']);
      expect({ code, lines: stderr.trim().split('\n') }).toEqual({
        code: 2,
        lines: [expect.stringMatching(/^portcullis: .*npm install lmdb; .*--store memory/)],
      });
      // The start that succeeds says that it has made a secret to keep.
      expect(existsSync(join(stranger.folder, 'first', 'keys.json'))).toBe(false);
    });

    it('OpenTelemetry: serve says what an endpoint needs', async (context) => {
      const stranger = await strangers.on(ownLine, context);
      stranger.write('otel.json', configured({ telemetry: { otlpEndpoint: 'http://127.0.0.1:1' } }));
      const args = ['serve', '--config', 'otel.json', '--store', 'memory'];
      const { code, stderr } = await stranger.portcullis(args);
      expect(code).toBe(2);
      expect(stderr).toMatch(/npm install (@opentelemetry\/[\w-]+ ?){6}\n$/);
    });
  });

  describe('a package that is installed alone', () => {
    it.for([
      ['redis', /^STORE_/],
      ['pg', /^STORE_/],
      ['lmdb', /^reached$/],
    ] as const)('%s is all that its store needs', async ([name, told], context) => {
      const stranger = await strangers.on(ownLine, context);
      expect(await stranger.beside([name], () => reach(stranger, stores[name]))).toMatch(told);
    });

    it('lmdb is all that serve needs', async (context) => {
      const stranger = await strangers.on(ownLine, context);
      stranger.write('embedded.json', configured({}));
      await stranger.beside(['lmdb'], async () => {
        const service = await startService(stranger, ['--config', 'embedded.json']);
        expect(await service.end()).toBe(0);
        expect(service.said()).toContain('records: embedded store in');
        expect(service.said()).not.toContain('gRPC for Envoy');
      });
    });

    it('one of gRPC is all that Envoy needs', async (context) => {
      const stranger = await strangers.on(ownLine, context);
      stranger.write('envoy.json', configured({ store: 'memory' }));
      await stranger.beside(['@grpc/proto-loader'], async () => {
        const service = await startService(stranger, ['--config', 'envoy.json']);
        expect(await service.end()).toBe(0);
        expect(service.said()).toContain('gRPC for Envoy on 127.0.0.1:');
      });
    });
  });
}
