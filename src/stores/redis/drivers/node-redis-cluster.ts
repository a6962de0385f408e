import { Fault } from '../../../core/fault.ts';
import { slotOf } from '../slot.ts';
import type { Driver, DriverEvents, Send } from './driver.ts';
import {
  importNodeRedis,
  type NodeRedisClient,
  type NodeRedisCluster,
  nodeRedisDemands,
  noTimeout,
  withSocket,
} from './node-redis-client.ts';
import { Probe } from './probe.ts';
import { CONNECT_MS, pause, reconnectDelayMs, within } from './reconnect.ts';

/** How soon after a node was lost the cluster is asked who serves its slots now. */
const refreshMs = 100;
const nodeSocket = { connectTimeout: CONNECT_MS, reconnectStrategy: reconnectDelayMs };

/** Makes a cluster client that is not connected yet. */
export type MakeCluster = () => Promise<NodeRedisCluster>;

/** A cluster that is found through the nodes at these URLs. */
export function fromNodes(urls: readonly string[], options: object): MakeCluster {
  return async () => {
    const { createCluster } = await importNodeRedis();
    const { username, password } = new URL(urls[0] ?? 'redis://');
    const credentials = {
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    };
    return createCluster({
      rootNodes: urls.map((url) => ({ ...options, url })),
      defaults: withSocket({ ...credentials, ...options }, nodeSocket),
      topologyRefreshOnReconnectionAttemptStrategy: refreshMs,
      RESP: nodeRedisDemands.RESP,
    });
  };
}

/** The cluster of a given client, on connections of our own. */
export function fromCluster(cluster: NodeRedisCluster): MakeCluster {
  return async () =>
    cluster.duplicate({
      defaults: withSocket(cluster._options?.defaults ?? {}, nodeSocket),
      topologyRefreshOnReconnectionAttemptStrategy: refreshMs,
      RESP: nodeRedisDemands.RESP,
      useReplicas: false,
      keyPrefix: undefined,
    });
}

/**
 * A cluster, by node-redis. Commands go straight to the connection of their slot's master, where commands of one
 * turn share a packet; only a redirection, which means that nothing was executed, goes through the library.
 */
export class NodeRedisClusterDriver implements Driver {
  readonly isCluster = true;
  readonly #make: MakeCluster;
  readonly #probe = new Probe<NodeRedisClient>(
    (client) => client.sendCommand(['PING'], noTimeout),
    () => this.reset(),
  );
  #events: DriverEvents | undefined;
  #cluster: NodeRedisCluster | undefined;
  #isConnecting = false;
  #isClosed = false;

  constructor(make: MakeCluster) {
    this.#make = make;
  }

  open(events: DriverEvents): void {
    this.#events = events;
    void this.#connect();
  }

  send(args: readonly string[], key: string): Promise<unknown> {
    const cluster = this.#cluster;
    const client = cluster?.slots[slotOf(key)]?.master.client;
    if (cluster === undefined || client === undefined || !client.isReady)
      return Promise.reject(noConnection());
    return client.sendCommand(args, noTimeout).catch((error: unknown) => {
      if (!isRedirection(error)) throw error;
      return cluster.sendCommand(key, false, [...args], noTimeout);
    });
  }

  async masters(): Promise<readonly Send[]> {
    const masters = this.#cluster?.masters ?? [];
    return masters.map(({ client }) => (args: readonly string[]) => {
      if (client === undefined) return Promise.reject(noConnection());
      return client.sendCommand(args, noTimeout);
    });
  }

  doubt(key: string): void {
    const client = this.#cluster?.slots[slotOf(key)]?.master.client;
    if (client !== undefined) void this.#probe.doubt(client);
  }

  /** The nodes that still answer go on serving until the topology has been learned anew. */
  reset(): void {
    void this.#connect();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cluster?.destroy();
    this.#cluster = undefined;
  }

  async #connect(): Promise<void> {
    if (this.#isConnecting) return;
    this.#isConnecting = true;
    for (let tries = 0; !this.#isClosed; tries += 1) {
      try {
        this.#use(await this.#attempt());
        break;
      } catch (cause) {
        if (this.#cluster === undefined) this.#events?.down(cause);
      }
      await pause(reconnectDelayMs(tries));
    }
    this.#isConnecting = false;
  }

  async #attempt(): Promise<NodeRedisCluster> {
    const cluster = await this.#make();
    // Failures of single nodes show in the commands sent to them.
    cluster.on('error', () => undefined);
    cluster.on('node-error', () => undefined);
    try {
      await within(CONNECT_MS, cluster.connect(), noConnection);
      return cluster;
    } catch (cause) {
      cluster.destroy();
      throw cause;
    }
  }

  #use(cluster: NodeRedisCluster): void {
    if (this.#isClosed) return void cluster.destroy();
    const before = this.#cluster;
    this.#cluster = cluster;
    before?.destroy();
    this.#events?.up();
  }
}

function isRedirection(error: unknown): boolean {
  return error instanceof Error && /^(MOVED|ASK) /.test(error.message);
}

function noConnection(): Fault {
  return new Fault('STORE_FAILED', 'There is no connection to the node that serves this slot.');
}
