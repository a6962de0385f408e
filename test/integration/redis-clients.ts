import { GlideClient, GlideClusterClient } from '@valkey/valkey-glide';
import { Redis as Ioredis, Cluster as IoredisCluster } from 'ioredis';
import { Redis as Iovalkey, Cluster as IovalkeyCluster } from 'iovalkey';
import { createClient, createCluster } from 'redis';
import type { GivenClient } from '../../src/stores/redis/index.ts';
import type { RedisCluster } from '../servers/redis-cluster.ts';
import type { SentinelTrio } from '../servers/redis-sentinel.ts';
import type { RedisServer } from '../servers/redis-server.ts';

/** Where a library's clients are to connect. */
export interface Places {
  readonly server: RedisServer;
  readonly trio: SentinelTrio;
  readonly cluster: RedisCluster;
}

/** Clients of one library, as an application would make them: with the library's own defaults. */
export interface Clients {
  readonly single: GivenClient;
  readonly cluster: GivenClient;
  /** Null where the library cannot ask Sentinels. */
  readonly sentinel: GivenClient | null;
  close(): Promise<void>;
}

export const libraries: readonly { name: string; connect(places: Places): Promise<Clients> }[] = [
  {
    name: 'node-redis',
    async connect({ server, cluster }) {
      const single = createClient({ url: server.url });
      const many = createCluster({ rootNodes: cluster.urls.map((url) => ({ url })) });
      return { single, cluster: many, sentinel: null, close: async () => undefined };
    },
  },
  {
    name: 'ioredis',
    async connect({ server, trio, cluster }) {
      const single = new Ioredis(server.port, server.host, { lazyConnect: true });
      const many = new IoredisCluster([...cluster.nodes], { lazyConnect: true });
      const sentinel = new Ioredis({ sentinels: [...trio.sentinels], name: trio.name, lazyConnect: true });
      return { single, cluster: many, sentinel, close: async () => undefined };
    },
  },
  {
    name: 'iovalkey',
    async connect({ server, trio, cluster }) {
      const single = new Iovalkey(server.port, server.host, { lazyConnect: true });
      const many = new IovalkeyCluster([...cluster.nodes], { lazyConnect: true });
      const sentinel = new Iovalkey({ sentinels: [...trio.sentinels], name: trio.name, lazyConnect: true });
      return { single, cluster: many, sentinel, close: async () => undefined };
    },
  },
  {
    name: 'valkey-glide',
    async connect({ server, cluster }) {
      const single = await GlideClient.createClient({
        addresses: [{ host: server.host, port: server.port }],
      });
      const addresses = cluster.nodes.map(({ host, port }) => ({ host, port }));
      const many = await GlideClusterClient.createClient({ addresses });
      return {
        single,
        cluster: many,
        sentinel: null,
        async close() {
          single.close();
          many.close();
        },
      };
    },
  },
];
