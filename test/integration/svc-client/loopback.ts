import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A real HTTP server on a free port of the loopback interface. */
export interface Loopback {
  readonly url: string;
  readonly server: Server;
  /** Every request that came in, oldest first. */
  readonly requests: IncomingMessage[];
  close(): Promise<void>;
}

/** Starts a server; it listens when the promise resolves. */
export async function startLoopback(listener: RequestListener): Promise<Loopback> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    server,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A URL on which nothing listens. */
export async function unusedUrl(): Promise<string> {
  const { url, close } = await startLoopback(() => undefined);
  await close();
  return url;
}
