import type { Driver, DriverEvents, Send } from './driver.ts';
import { Probe } from './probe.ts';
import { CONNECT_MS, reconnectDelayMs, STALL_MS } from './reconnect.ts';

/** A client of ioredis or iovalkey, as far as the store uses it. */
export interface IoredisClient {
  readonly isCluster: boolean;
  call(command: string, args: string[]): Promise<unknown>;
  connect(): Promise<unknown>;
  disconnect(reconnect?: boolean): void;
  duplicate(overrides?: object): IoredisClient;
  on(event: string, listener: (cause: Error) => void): unknown;
}

/** A cluster of ioredis or iovalkey, as far as the store uses it. */
export interface IoredisCluster {
  readonly isCluster: boolean;
  readonly options?: { readonly redisOptions?: object | undefined } | undefined;
  call(command: string, args: string[]): Promise<unknown>;
  connect(): Promise<unknown>;
  disconnect(reconnect?: boolean): void;
  duplicate(nodes?: [], overrides?: object): IoredisCluster;
  nodes(role: 'master'): readonly IoredisNode[];
  refreshSlotsCache(): void;
  on(event: string, listener: (cause: Error) => void): unknown;
}

/** The connection of a cluster to one of its nodes. */
type IoredisNode = Pick<IoredisClient, 'call' | 'disconnect'>;

/** How soon a client that has given up is replaced. */
const endedMs = 100;

/**
 * What the store rests on, whatever the given client is configured to do. Without a retry and without resending, the
 * library would leave commands of a lost connection unsettled for ever; a retry limit of none makes it reject them.
 */
const demands = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  reconnectOnError: null,
  enableAutoPipelining: false,
  commandTimeout: undefined,
  socketTimeout: STALL_MS,
  connectTimeout: CONNECT_MS,
  keyPrefix: '',
  stringNumbers: false,
  readOnly: false,
  monitor: false,
  failoverDetector: true,
  lazyConnect: true,
  retryStrategy: reconnectDelayMs,
} as const;

/** A retry after a lost connection could execute a commit twice, so there is none. */
const clusterDemands = {
  enableOfflineQueue: false,
  enableAutoPipelining: false,
  lazyConnect: true,
  scaleReads: 'master',
  keyPrefix: '',
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  retryDelayOnTryAgain: 3,
  slotsRefreshInterval: 5 * STALL_MS,
  clusterRetryStrategy: reconnectDelayMs,
  redisOptions: {
    ...demands,
    retryStrategy: undefined,
    lazyConnect: undefined,
    enableOfflineQueue: undefined,
  },
} as const;

/** One server (or the master that Sentinels name), by ioredis or iovalkey, on a connection of our own. */
export function ioredisDriver(given: IoredisClient): Driver {
  const kept = new KeptClient(() => given.duplicate(demands));
  // The library ends a connection that says nothing by itself, see `socketTimeout`, but none that says the wrong things.
  const probe = new Probe<IoredisClient>(ping, (client) => client.disconnect(true));
  return {
    isCluster: false,
    open: (events) => kept.open(events),
    send: (args) => call(kept.client, args),
    masters: async () => [(args: readonly string[]) => call(kept.client, args)],
    doubt: () => void probe.doubt(kept.client),
    reset: () => kept.client.disconnect(true),
    close: async () => kept.close(),
  };
}

/** A cluster, by ioredis or iovalkey, on connections of our own. */
export function ioredisClusterDriver(given: IoredisCluster): Driver {
  const kept = new KeptClient(() => given.duplicate([], demandsOn(given)));
  // The cluster makes another one when it needs it.
  const probe = new Probe<IoredisNode>(ping, (node) => node.disconnect());
  return {
    isCluster: true,
    open: (events) => kept.open(events),
    send: (args) => call(kept.client, args),
    masters: async () =>
      kept.client.nodes('master').map(
        (node): Send =>
          (args) =>
            call(node, args),
      ),
    doubt() {
      kept.client.refreshSlotsCache();
      // The library does not tell which of them serves a key.
      for (const node of kept.client.nodes('master')) void probe.doubt(node);
    },
    reset: () => kept.client.refreshSlotsCache(),
    close: async () => kept.close(),
  };
}

const ping = (node: IoredisNode, word: string): Promise<unknown> => call(node, ['PING', word]);

/** Some versions of the libraries put what they are told in the place of all options of the nodes: credentials and TLS too. */
function demandsOn({ options }: IoredisCluster): object {
  return { ...clusterDemands, redisOptions: { ...options?.redisOptions, ...clusterDemands.redisOptions } };
}

type Lasting = Pick<IoredisClient, 'on' | 'connect' | 'disconnect'>;

/**
 * A client that is replaced when it has ended. The library reconnects by itself, but gives up for good in some races: a
 * failover that is announced while it is connecting, for one.
 */
class KeptClient<Client extends Lasting> {
  client: Client;
  readonly #make: () => Client;
  #isClosed = false;

  constructor(make: () => Client) {
    this.#make = make;
    this.client = make();
  }

  open(events: DriverEvents): void {
    const { client } = this;
    let cause: unknown;
    client.on('error', (error) => {
      cause = error;
    });
    client.on('ready', () => events.up());
    client.on('close', () => events.down(cause));
    client.on('end', () => {
      events.down(cause);
      setTimeout(() => this.#replace(events), endedMs);
    });
    // What goes wrong is told by the events; a client that gives up ends.
    client.connect().catch(events.down);
  }

  close(): void {
    this.#isClosed = true;
    this.client.disconnect();
  }

  #replace(events: DriverEvents): void {
    if (this.#isClosed) return;
    this.client = this.#make();
    this.open(events);
  }
}

/** The library's errors carry the command with its arguments, which are no one's business who reads a log. */
async function call(
  client: Pick<IoredisClient, 'call'>,
  [command = '', ...args]: readonly string[],
): Promise<unknown> {
  try {
    return await client.call(command, args);
  } catch (error) {
    if (error instanceof Error) Reflect.deleteProperty(error, 'command');
    throw error;
  }
}
