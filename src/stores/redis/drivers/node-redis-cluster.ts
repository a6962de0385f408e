import { Fault } from '../../../core/fault.ts';
import { slotOf } from '../slot.ts';
import type { Driver, DriverEvents, Send } from './driver.ts';
import {
  type ClusterOptions,
  importNodeRedis,
  type NodeRedisClient,
  type NodeRedisCluster,
  nodeRedisDemands,
  noTimeout,
  withSocket,
} from './node-redis-client.ts';
import { Probe } from './probe.ts';
import { CONNECT_MS, isHopeless, pause, reconnectDelayMs, STALL_MS } from './reconnect.ts';

/** How soon after a node was lost the cluster is asked who serves its slots now. */
const refreshMs = 100;
/** How often a cluster that is being connected to is looked at for masters that answer. */
const lookMs = 250;
const nodeSocket = { connectTimeout: CONNECT_MS, reconnectStrategy: reconnectDelayMs };

/** Makes a cluster client that is not connected yet. */
export type MakeCluster = () => Promise<NodeRedisCluster>;

/** A cluster that is found through the nodes at these URLs. */
export function fromNodes(urls: readonly string[], options: object): MakeCluster {
  return async () => (await importNodeRedis()).createCluster(clusterOptions(urls, options));
}

/**
 * What the library is to connect with. Of the URLs it takes only the addresses it asks who serves what; the nodes that it
 * is told of then get the defaults alone, so those must hold the credentials, and TLS where the URLs ask for it.
 */
export function clusterOptions(urls: readonly string[], options: object): ClusterOptions {
  const { protocol, username, password } = new URL(urls[0] ?? 'redis://');
  const credentials = {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
  const tls = protocol === 'rediss:' ? { tls: true } : {};
  return {
    rootNodes: urls.map((url) => ({ ...options, url })),
    defaults: withSocket({ ...credentials, ...options }, { ...nodeSocket, ...tls }),
    topologyRefreshOnReconnectionAttemptStrategy: refreshMs,
    RESP: nodeRedisDemands.RESP,
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
    (client, word) => client.sendCommand(['PING', word], noTimeout),
    () => this.reset(),
  );
  #events: DriverEvents | undefined;
  #cluster: NodeRedisCluster | undefined;
  readonly #retired = new Set<NodeRedisCluster>();
  #learnedAtMs = 0;
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
    if (cluster === undefined || client === undefined || !client.isReady) {
      this.#relearn();
      return Promise.reject(noConnection());
    }
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
    for (const retired of this.#retired) retired.destroy();
    this.#retired.clear();
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
        if (isHopeless(cause)) break;
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
      await this.#reach(cluster);
      return cluster;
    } catch (cause) {
      cluster.destroy();
      throw cause;
    }
  }

  /**
   * The library waits for every master it was told of. One that is down must not keep the others from being used, so this
   * waits only until some answer; the library goes on connecting to the rest.
   */
  async #reach(cluster: NodeRedisCluster): Promise<void> {
    const whole = cluster.connect().then(() => true);
    // Should it fail later on, the commands sent to the missing nodes tell.
    whole.catch((cause: unknown) => cause);
    for (let waitedMs = 0; waitedMs < CONNECT_MS; waitedMs += lookMs) {
      const isWhole = await Promise.race([whole, pause(lookMs).then(() => false)]);
      if (isWhole || cluster.masters.some(({ client }) => client?.isReady)) return;
    }
    throw noConnection();
  }

  /** Commands under way on the connections of before are still answered there. */
  #use(cluster: NodeRedisCluster): void {
    if (this.#isClosed) return void cluster.destroy();
    const before = this.#cluster;
    this.#cluster = cluster;
    this.#learnedAtMs = performance.now();
    if (before !== undefined) this.#retire(before);
    this.#events?.up();
  }

  #retire(cluster: NodeRedisCluster): void {
    this.#retired.add(cluster);
    setTimeout(() => {
      if (this.#retired.delete(cluster)) cluster.destroy();
    }, STALL_MS).unref();
  }

  /** The node of a slot cannot be reached: another may have taken over. Not asked more often than it may change. */
  #relearn(): void {
    if (performance.now() - this.#learnedAtMs < STALL_MS) return;
    this.#learnedAtMs = performance.now();
    this.reset();
  }
}

function isRedirection(error: unknown): boolean {
  return error instanceof Error && /^(MOVED|ASK) /.test(error.message);
}

function noConnection(): Fault {
  return new Fault('STORE_FAILED', 'There is no connection to the node that serves this slot.');
}
