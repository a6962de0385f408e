import { Agent, createServer, request as send } from 'node:http';
import { createLoginBackoff } from '../src/kratos/counter-backoff.ts';
import { startKratosProxy } from '../src/kratos/proxy/start-proxy.ts';
import { createMemoryStore } from '../src/stores/memory/index.ts';
import { createRedisCounters } from '../src/stores/redis/index.ts';

/**
 * One proxy of the Kratos bench, in a process of its own: `node kratos-servers.js PROXY UPSTREAM [REDIS URL]`. Tells the
 * process that started it its port, and after each message how much processor time it has used, in µs.
 */
export type ProxyName = 'ours' | 'bare';

/** Login backoff with limits that no load here reaches. */
async function serveOurs(url: string, redisUrl: string | undefined): Promise<number> {
  const unreachable = 1_000_000_000;
  const backoff = createLoginBackoff({
    store: createMemoryStore(),
    counters: redisUrl === undefined ? undefined : createRedisCounters({ url: redisUrl, deadlineMs: 2_000 }),
    secret: 'a secret for the bench',
    maxIdentifierAttempts: unreachable,
    maxIpAttempts: unreachable,
    failure: { deadlineMs: redisUrl === undefined ? null : 2_000 },
  });
  const { port } = await startKratosProxy({ host: '127.0.0.1', port: 0, upstream: { url }, backoff });
  return port;
}

/** As little as a reverse proxy on node:http can do. */
async function serveBare(url: string): Promise<number> {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true });
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const onward = send({ agent, hostname, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Only where it was started as a program: the bench imports the names above. */
export async function main(args: readonly string[]): Promise<void> {
  const [name, upstream, redisUrl] = args as [ProxyName, string, string | undefined];
  process.send?.(await (name === 'ours' ? serveOurs(upstream, redisUrl) : serveBare(upstream)));
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
  process.on('disconnect', () => process.exit());
}

if (process.send !== undefined && process.argv[1]?.endsWith('kratos-servers.js')) {
  await main(process.argv.slice(2));
}
