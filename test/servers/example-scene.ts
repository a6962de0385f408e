import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readServiceConfig } from '../../src/config/read-service-config.ts';
import { createService } from '../../src/server/service.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { freePort, onFreePorts } from './free-port.ts';

const examples = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'examples');

/** An answer of the proxy to its client. */
export interface ProxyAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a client sends. Two addresses of the loopback are two clients. */
export interface Asking {
  readonly from?: string;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the application behind the proxy has seen of a request. */
export interface Seen {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** An example with its service and an application behind it, on ports of their own. */
export interface ExampleScene {
  /** Where the example's proxy is to listen. */
  readonly frontPort: number;
  readonly servicePort: number;
  readonly grpcPort: number;
  /** A file of the example, with the ports of this scene in place of those it is written with. */
  file(name: string): string;
  ask(asking?: Asking): Promise<ProxyAnswer>;
  /** What has reached the application, oldest first. */
  readonly seen: readonly Seen[];
  /** Ends the decision service; the proxy stays. */
  stopService(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts what an example needs beside its proxy. Its limits are made so small that a client has one call in ten seconds,
 * and its waits so long that a busy machine does not end them: no test depends on how fast it runs.
 */
export function startExample(name: string): Promise<ExampleScene> {
  return onFreePorts(() => startOnce(name));
}

async function startOnce(name: string): Promise<ExampleScene> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-example-'));
  const seen: Seen[] = [];
  // Many applications take larger headers than the service does.
  const app = createServer({ maxHeaderSize: 2 ** 21 }, (incoming, response) => {
    seen.push({ url: incoming.url ?? '', headers: incoming.headers });
    response.setHeader('content-type', 'text/plain').end('hello from the app');
  }).listen(0, '127.0.0.1');
  await once(app, 'listening');
  const ports = new Map([
    ['3000', portOf(app.address())],
    ['8080', await freePort()],
    ['8470', await freePort()],
    ['8471', await freePort()],
    ['8473', await freePort()],
  ]);
  const file = (wanted: string) =>
    readFileSync(join(examples, name, wanted), 'utf8')
      .replaceAll(/\b(3000|8080|8470|8471|8473)\b/g, (port) => String(ports.get(port)))
      .replace('ratePerSecond: 5', 'ratePerSecond: 0.1')
      .replaceAll(/\b(100|250|500)ms\b/g, '2s');
  const path = join(folder, 'portcullis.yaml');
  writeFileSync(path, file('portcullis.yaml'));
  const config = readServiceConfig({
    path,
    env: {
      PORTCULLIS_STORE: 'memory',
      PORTCULLIS_DATA: folder,
      PORTCULLIS_GRPC_PORT: name === 'envoy' ? String(ports.get('8471')) : 'none',
    },
  });
  const service = await createService(config, { log: createLog({ level: 'silent' }) });
  await service.listen();
  const frontPort = ports.get('8080') ?? 0;
  return {
    frontPort,
    servicePort: ports.get('8470') ?? 0,
    grpcPort: ports.get('8471') ?? 0,
    file,
    ask: (asking) => ask(frontPort, asking),
    seen,
    stopService: () => service.close(),
    stop: async () => {
      await service.close();
      app.closeAllConnections();
      app.close();
      await once(app, 'close');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function portOf(address: ReturnType<ReturnType<typeof createServer>['address']>): number {
  if (address === null || typeof address === 'string') throw new TypeError('A TCP server has no port.');
  return address.port;
}

function ask(
  port: number,
  { from = '127.0.0.3', path = '/', method = 'GET', headers = {} }: Asking = {},
): Promise<ProxyAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        headers: { 'user-agent': 'tests/1', ...headers },
        localAddress: from,
        agent: false,
      },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (text: string) => {
          body += text;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
        response.on('error', reject);
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}
