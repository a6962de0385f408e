import { assertNumber } from '../../core/amounts.ts';
import { Fault, shapeOf } from '../../core/fault.ts';
import { assertOptions, type OptionKinds } from '../../core/options.ts';
import { defaultDeadlineMs } from '../default-deadline.ts';
import type { Driver } from './drivers/driver.ts';
import { driverOf, type GivenClient } from './drivers/driver-of.ts';
import { NodeRedisDriver } from './drivers/node-redis.ts';
import { fromNodes, NodeRedisClusterDriver } from './drivers/node-redis-cluster.ts';
import { fromOptions, fromSentinel, type SentinelOptions } from './drivers/node-redis-sources.ts';
import { checkedUrl, placeOfUrl } from './url-place.ts';

/**
 * Where Redis is, and how long it may take. At most one of `url`, `cluster`, `sentinel` and `client` is given; with none
 * of them the server is `redis://127.0.0.1:6379`.
 */
export interface RedisStoreOptions {
  /**
   * One server, `redis[s]://[[user][:password]@]host[:port][/database]`; or a cluster or a master with Sentinels in one
   * setting: `redis+cluster://host:port,host:port`, `redis+sentinel://host:port,host:port/name`.
   */
  readonly url?: string;
  /**
   * A cluster: the URLs of some of its nodes. Credentials of the first count for all. With `rediss://`, which then all begin
   * with, every node is spoken to over TLS.
   */
  readonly cluster?: readonly string[];
  /** A master that Sentinels watch over. */
  readonly sentinel?: SentinelOptions;
  /**
   * A client or cluster of node-redis 6, ioredis 6, iovalkey or valkey-glide. The store connects by itself with the same
   * options, and with the settings that it rests on; only a client of valkey-glide is used as it is. The given
   * client stays its owner's to close.
   */
  readonly client?: GivenClient;
  /** node-redis client options for `url`, `cluster` and `sentinel`: credentials, TLS, database. Default: none. */
  readonly connection?: object;
  /** How long an operation may take, in milliseconds. Default 50. */
  readonly deadlineMs?: number;
}

const places = ['url', 'cluster', 'sentinel', 'client'] as const;
const optionKinds: OptionKinds<RedisStoreOptions> = {
  url: 'checked',
  cluster: 'checked',
  sentinel: 'checked',
  client: 'checked',
  connection: 'object',
  deadlineMs: 'checked',
};

/** The same, checked and complete. */
export interface RedisStoreSettings {
  readonly driver: Driver;
  readonly deadlineMs: number;
}

/** @throws Fault `CONFIG_INVALID` when an option is unknown, of the wrong type or contradicts another one. */
export function settingsOf(options: RedisStoreOptions): RedisStoreSettings {
  assertOptions('the Redis store', options, optionKinds);
  const given = places.filter((place) => options[place] !== undefined);
  if (given.length > 1) throw invalid(`Only one of ${given.join(', ')} can say where Redis is.`);
  const { deadlineMs = defaultDeadlineMs } = options;
  assertNumber('CONFIG_INVALID', 'deadlineMs', deadlineMs, 1);
  return Object.freeze({ driver: driverFor(options), deadlineMs });
}

function driverFor(options: RedisStoreOptions): Driver {
  const { url, ...others } = options;
  if (url !== undefined) return driverAt(placeOfUrl(url), options.connection ?? {});
  return driverAt({ url: 'redis://127.0.0.1:6379', ...others }, options.connection ?? {});
}

function driverAt(place: RedisStoreOptions, given: object): Driver {
  const { url = '', cluster, sentinel, client } = place;
  const connection = { ...given, ...place.connection };
  if (client !== undefined) return driverOf(client);
  if (sentinel !== undefined) return new NodeRedisDriver(fromSentinel(checkedSentinel(sentinel), connection));
  if (cluster === undefined)
    return new NodeRedisDriver(fromOptions({ ...connection, url: checkedUrl('url', url) }));
  if (!Array.isArray(cluster) || cluster.length === 0)
    throw invalid(`cluster must be URLs, got ${shapeOf(cluster)}.`);
  return new NodeRedisClusterDriver(fromNodes(checkedCluster(cluster), connection));
}

/** Nodes that are found later are spoken to as the first is: were it one way for some, a password could go out in the clear. */
function checkedCluster(cluster: readonly string[]): readonly string[] {
  const urls = cluster.map((node) => checkedUrl('cluster', node));
  const protocols = new Set(urls.map((url) => new URL(url).protocol));
  if (protocols.size > 1)
    throw invalid('cluster must be URLs that all begin with redis:// or all with rediss://, got both.');
  return urls;
}

function checkedSentinel(sentinel: SentinelOptions): SentinelOptions {
  const { name, nodes } = sentinel;
  if (typeof name !== 'string' || name === '')
    throw invalid(`sentinel.name must be a name, got ${shapeOf(name)}.`);
  const isList = Array.isArray(nodes) && nodes.length > 0;
  if (!isList || !nodes.every((node) => typeof node?.host === 'string' && Number.isInteger(node.port)))
    throw invalid(`sentinel.nodes must be hosts with ports, got ${shapeOf(nodes)}.`);
  return sentinel;
}

function invalid(message: string): Fault {
  return new Fault('CONFIG_INVALID', message);
}
