import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import { createDescriptorLimiter } from '../src/limits/descriptors/descriptor-limiter.ts';
import { createLimiter } from '../src/limits/index.ts';
import { startGrpc } from '../src/server/grpc/grpc-server.ts';
import { loadServices } from '../src/server/grpc/service-definitions.ts';
import { createMemoryStore } from '../src/stores/memory/index.ts';

/** `node grpc-servers.js ours|bare`: sends its port, and its processor time when asked. */

export type ServerName = 'ours' | 'bare';

const secret = 'bench-secret-0123456789abcdef';

/** Decides on a thousand users, none of whom is ever over the limit. */
async function startOurs(): Promise<number> {
  const store = createMemoryStore();
  const { port } = await startGrpc({
    host: '127.0.0.1',
    port: 0,
    limiter: createLimiter({ store, secret }),
    descriptors: createDescriptorLimiter({
      store,
      secret,
      domains: [
        {
          domain: 'bench',
          descriptors: [{ key: 'user', rate_limit: { unit: 'hour', requests_per_unit: 4_000_000_000 } }],
        },
      ],
    }),
  });
  return port;
}

/** Reads the same message and writes the same answer, without having decided anything. */
async function startBare(): Promise<number> {
  const services = await loadServices();
  const server = new Server({ 'grpc.enable_channelz': 0 });
  const answer = {
    overall_code: 1,
    statuses: [
      {
        code: 1,
        current_limit: { requests_per_unit: 4_000_000_000, unit: 3, name: '' },
        limit_remaining: 3_999_999_999,
        duration_until_reset: { seconds: 1_800 },
      },
    ],
    response_headers_to_add: [
      { key: 'RateLimit-Policy', value: '"bench";q=4000000000;w=3600' },
      { key: 'RateLimit', value: '"bench";r=3999999999;t=1800' },
    ],
    raw_body: new Uint8Array(0),
  };
  server.addService(services.rateLimit, {
    ShouldRateLimit: (_: ServerUnaryCall<object, object>, callback: sendUnaryData<object>) =>
      callback(null, answer),
  });
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) resolve(port);
      else reject(error);
    });
  });
}

if (process.send !== undefined) {
  const port = await (process.argv[2] === 'ours' ? startOurs() : startBare());
  process.send(port);
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
  process.on('disconnect', () => process.exit(0));
}
