import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** How a proxy treats what passes through it. */
export interface Weather {
  /** How long replies are held back, in milliseconds. */
  readonly delayMs?: number;
  /** Requests go through; replies do not come back. */
  readonly dropReplies?: boolean;
  /** Replies pass as usual until a request with this text has come. */
  readonly from?: string;
  /** New connections are refused by a reset. */
  readonly refuse?: boolean;
}

/** Stands between a client and a server and does to them what networks do. */
export interface TcpProxy {
  readonly port: number;
  /** How many bursts of requests came, each answered before the next: round trips. */
  readonly roundTrips: number;
  /** How many bytes of requests came. */
  readonly requestBytes: number;
  change(weather: Weather): void;
  /** Ends every connection with a reset. */
  reset(): void;
  /** Tells every client that the server will send nothing more, and goes on listening to it. */
  halfClose(): void;
  stop(): Promise<void>;
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  let weather: Weather = {};
  let roundTrips = 0;
  let requestBytes = 0;
  let isAnswered = true;
  let hasBegun = true;
  const pairs = new Set<{ client: Socket; server: Socket }>();

  const proxy = createServer({ allowHalfOpen: true }, (client) => {
    if (weather.refuse) {
      client.resetAndDestroy();
      return;
    }
    const server = connect({ ...target, noDelay: true });
    const pair = { client, server };
    pairs.add(pair);
    client.setNoDelay(true);
    client.on('data', (request: Buffer) => {
      if (isAnswered) roundTrips += 1;
      isAnswered = false;
      requestBytes += request.length;
      hasBegun ||= request.includes(weather.from ?? '');
      server.write(request);
    });
    server.on('data', (reply: Buffer) => {
      isAnswered = true;
      if (weather.dropReplies && hasBegun) return;
      if (weather.delayMs === undefined || !hasBegun) client.write(reply);
      else setTimeout(() => client.write(reply), weather.delayMs);
    });
    const end = (): void => {
      pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new TypeError('A TCP server has no port.');

  return {
    port: address.port,
    get roundTrips() {
      return roundTrips;
    },
    get requestBytes() {
      return requestBytes;
    },
    change(next) {
      weather = next;
      hasBegun = next.from === undefined;
    },
    reset() {
      for (const { client } of pairs) client.resetAndDestroy();
    },
    halfClose() {
      for (const { client } of pairs) client.end();
    },
    async stop() {
      for (const { client, server } of pairs) {
        client.destroy();
        server.destroy();
      }
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
