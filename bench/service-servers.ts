import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fastify } from 'fastify';
import { readServiceConfig } from '../src/config/read-service-config.ts';
import { createService } from '../src/server/service.ts';
import { createLog } from '../src/telemetry/log.ts';

/**
 * One server of the service bench, in a process of its own: `node service-servers.js NAME`. `fastify` parses the body
 * and returns what the service answers to an allowed check, and does nothing else; the others are the service, on the
 * store they are named after. Tells the process that started it its port, and after each message how much processor
 * time it has used, in µs.
 */
export const serverNames = ['fastify', 'memory', 'lmdb', 'lmdb with a token'] as const;
export type ServerName = (typeof serverNames)[number];

/** The token of the server that asks for one. */
export const benchToken = 'a token for the bench only';

const allowed = {
  outcome: 'ALLOW',
  level: 0,
  until: 0,
  retryAfterMs: 0,
  rule: null,
  scope: null,
  deferred: false,
  mode: 'NORMAL',
  reasons: [],
};

async function serveFastify(): Promise<number> {
  const app = fastify();
  app.post('/v1/check', async ({ body }) => {
    // What the service decides by is looked at here too, so that nobody parses in vain.
    if (typeof body !== 'object' || body === null || !('ip' in body)) throw new TypeError('no ip');
    return allowed;
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function serveService(name: ServerName): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const config = readServiceConfig({
    env: {
      PORTCULLIS_PORT: '0',
      PORTCULLIS_GRPC_PORT: 'none',
      PORTCULLIS_DATA: folder,
      PORTCULLIS_STORE: name === 'memory' ? 'memory' : 'lmdb',
      ...(name === 'lmdb with a token' ? { PORTCULLIS_TOKEN_DECIDE: benchToken } : {}),
    },
  });
  const service = await createService(config, { log: createLog({ level: 'silent' }) });
  return (await service.listen()).port;
}

/** Only where it was started as a program: the bench imports the names above. */
export async function main(name: ServerName): Promise<void> {
  const port = await (name === 'fastify' ? serveFastify() : serveService(name));
  process.send?.(port);
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
  process.on('disconnect', () => process.exit());
}

if (process.send !== undefined && process.argv[1]?.endsWith('service-servers.js')) {
  await main(process.argv[2] as ServerName);
}
