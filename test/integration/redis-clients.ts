import { GlideClient, GlideClusterClient, Logger } from '@valkey/valkey-glide';
import { Redis as Ioredis, Cluster as IoredisCluster } from 'ioredis';
import { Redis as Iovalkey, Cluster as IovalkeyCluster } from 'iovalkey';
import { createClient, createCluster } from 'redis';
import type { GivenClient } from '../../src/stores/redis/index.ts';

// It would tell of every failure that a test provokes.
Logger.setLoggerConfig('off');

interface Address {
  readonly host: string;
  readonly port: number;
}

/** A client, and how its owner ends it. */
export interface Made {
  readonly client: GivenClient;
  close(): Promise<void>;
}

/** Makes clients of one library as an application would: with the library's own defaults. */
export interface Library {
  readonly name: string;
  single(address: Address): Promise<Made>;
  cluster(nodes: readonly Address[]): Promise<Made>;
  /** Whether its cluster client leaves a master that stays connected and says nothing, once another has its slots. */
  readonly leavesSilentMasters: boolean;
  /** Whether a connection of its is given up that has lost a reply, and answers each command with that to another one. */
  readonly noticesMixedReplies: boolean;
  /** Null where the library cannot ask Sentinels, or not in a way that the store can use. */
  readonly sentinel: ((name: string, sentinels: readonly Address[]) => Promise<Made>) | null;
}

/** The store makes a connection of its own from these, so that there is nothing to close. */
const asTemplate = (client: GivenClient): Made => ({ client, close: async () => undefined });
/** The library would give up long before the store does, on a machine that is busy with other tests. */
const requestTimeout = 10_000;
const addressesOf = (nodes: readonly Address[]): Address[] => nodes.map(({ host, port }) => ({ host, port }));

export const libraries: readonly Library[] = [
  {
    name: 'node-redis',
    single: async ({ host, port }) => asTemplate(createClient({ socket: { host, port } })),
    cluster: async (nodes) =>
      asTemplate(createCluster({ rootNodes: addressesOf(nodes).map((socket) => ({ socket })) })),
    leavesSilentMasters: true,
    noticesMixedReplies: true,
    sentinel: null,
  },
  {
    name: 'ioredis',
    single: async ({ host, port }) => asTemplate(new Ioredis(port, host, { lazyConnect: true })),
    cluster: async (nodes) => asTemplate(new IoredisCluster(addressesOf(nodes), { lazyConnect: true })),
    leavesSilentMasters: true,
    noticesMixedReplies: true,
    sentinel: async (name, sentinels) =>
      asTemplate(new Ioredis({ sentinels: addressesOf(sentinels), name, lazyConnect: true })),
  },
  {
    name: 'iovalkey',
    single: async ({ host, port }) => asTemplate(new Iovalkey(port, host, { lazyConnect: true })),
    cluster: async (nodes) => asTemplate(new IovalkeyCluster(addressesOf(nodes), { lazyConnect: true })),
    leavesSilentMasters: true,
    noticesMixedReplies: true,
    sentinel: async (name, sentinels) =>
      asTemplate(new Iovalkey({ sentinels: addressesOf(sentinels), name, lazyConnect: true })),
  },
  {
    name: 'valkey-glide',
    single: async (address) => {
      const client = await GlideClient.createClient({ addresses: addressesOf([address]), requestTimeout });
      return { client, close: async () => client.close() };
    },
    cluster: async (nodes) => {
      const client = await GlideClusterClient.createClient({
        addresses: addressesOf(nodes),
        recoveryRequestsQueueSize: 0,
        requestTimeout,
      });
      return { client, close: async () => client.close() };
    },
    leavesSilentMasters: false,
    noticesMixedReplies: false,
    sentinel: null,
  },
];
