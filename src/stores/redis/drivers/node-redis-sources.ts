import { Fault } from '../../../core/fault.ts';
import type { Source } from './node-redis.ts';
import {
  dispose,
  importNodeRedis,
  type NodeRedisClient,
  noTimeout,
  withSocket,
} from './node-redis-client.ts';
import { CONNECT_MS, within } from './reconnect.ts';

const oneConnection = { reconnectStrategy: false, connectTimeout: CONNECT_MS } as const;

/** Where Sentinels listen, and the name they know the master by. */
export interface SentinelOptions {
  readonly name: string;
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  /** node-redis client options for the Sentinels themselves: credentials, TLS. Default: none. */
  readonly connection?: object;
}

/** How often the Sentinels are asked whether another server has taken over from one that still answers. */
const watchMs = 1_000;

/** A server with a fixed address. */
export function fromOptions(options: object): Source {
  return {
    async make() {
      const { createClient } = await importNodeRedis();
      return createClient(withSocket(options, oneConnection));
    },
  };
}

/** The server of a given client, on a connection of our own. */
export function fromClient(client: NodeRedisClient): Source {
  return { make: async () => client.duplicate(withSocket(client.options ?? {}, oneConnection)) };
}

/**
 * The master that Sentinels name. Not by the library's own Sentinel client: that one holds commands back while it
 * looks for a master and sends commands again whose reply was lost.
 */
export function fromSentinel(sentinel: SentinelOptions, options: object): Source {
  let address = '';
  return {
    async make() {
      const { createClient } = await importNodeRedis();
      const { host, port } = await masterOf(sentinel);
      address = `${host}:${port}`;
      return createClient(withSocket(options, { ...oneConnection, host, port }));
    },
    async check(client) {
      const role = await client.sendCommand(['ROLE'], noTimeout);
      if (Array.isArray(role) && role[0] === 'master') return;
      throw new Fault('STORE_FAILED', 'The server that Sentinel names is not a master yet.');
    },
    watch(moved) {
      const timer = setInterval(() => {
        masterOf(sentinel).then(
          ({ host, port }) => {
            if (address !== '' && address !== `${host}:${port}`) moved();
          },
          () => undefined,
        );
      }, watchMs);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** What the first Sentinel says that answers. */
async function masterOf(sentinel: SentinelOptions): Promise<Address> {
  let cause: unknown;
  for (const node of sentinel.nodes) {
    try {
      return await askSentinel(sentinel, node);
    } catch (failure) {
      cause = failure;
    }
  }
  throw new Fault('STORE_FAILED', `No Sentinel names a master for ${sentinel.name}.`, { cause });
}

async function askSentinel({ name, connection = {} }: SentinelOptions, node: Address): Promise<Address> {
  const { createClient } = await importNodeRedis();
  const client: NodeRedisClient = createClient(withSocket(connection, { ...oneConnection, ...node }));
  client.on('error', () => undefined);
  try {
    const reply = await within(
      CONNECT_MS,
      askFor(client, name),
      () => new Fault('STORE_TIMEOUT', 'A Sentinel is silent.'),
    );
    const [host, port]: unknown[] = Array.isArray(reply) ? reply : [];
    if (typeof host === 'string' && Number(port) > 0) return { host, port: Number(port) };
    throw new Fault('STORE_FAILED', `A Sentinel does not know a master named ${name}.`);
  } finally {
    dispose(client);
  }
}

async function askFor(client: NodeRedisClient, name: string): Promise<unknown> {
  await client.connect();
  return client.sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name], noTimeout);
}
