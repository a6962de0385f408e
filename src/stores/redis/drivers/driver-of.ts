import { Fault, shapeOf } from '../../../core/fault.ts';
import type { Driver } from './driver.ts';
import { type GlideClient, type GlideClusterClient, glideClusterDriver, glideDriver } from './glide.ts';
import { type IoredisClient, type IoredisCluster, ioredisClusterDriver, ioredisDriver } from './ioredis.ts';
import { NodeRedisDriver } from './node-redis.ts';
import type { NodeRedisClient, NodeRedisCluster } from './node-redis-client.ts';
import { fromCluster, NodeRedisClusterDriver } from './node-redis-cluster.ts';
import { fromClient } from './node-redis-sources.ts';

/** A client of any library the store can use. */
export type GivenClient =
  | NodeRedisClient
  | NodeRedisCluster
  | IoredisClient
  | IoredisCluster
  | GlideClient
  | GlideClusterClient;

/**
 * The driver for a client, told by what the client can do: importing its library to ask for its class would make
 * every library a dependency.
 *
 * @throws Fault `CONFIG_INVALID` when it is no client that the store knows.
 */
export function driverOf(client: GivenClient): Driver {
  if (isIoredisCluster(client)) return ioredisClusterDriver(client);
  if (isIoredis(client)) return ioredisDriver(client);
  if (isGlide(client)) return isGlideCluster(client) ? glideClusterDriver(client) : glideDriver(client);
  if (isNodeRedisCluster(client)) return new NodeRedisClusterDriver(fromCluster(client));
  if (isNodeRedis(client)) return new NodeRedisDriver(fromClient(client));
  throw new Fault(
    'CONFIG_INVALID',
    `client must be a client or cluster of node-redis 5 or later, ioredis 5 or later, iovalkey or valkey-glide, got ${shapeOf(client)}. For Sentinel with node-redis give \`sentinel\` instead.`,
  );
}

function isIoredis(client: GivenClient): client is IoredisClient {
  return (
    'isCluster' in client && client.isCluster === false && can(client, 'call') && can(client, 'duplicate')
  );
}

function isIoredisCluster(client: GivenClient): client is IoredisCluster {
  return 'isCluster' in client && client.isCluster === true && can(client, 'call') && can(client, 'nodes');
}

function isGlide(client: GivenClient): client is GlideClient | GlideClusterClient {
  return can(client, 'customCommand');
}

function isGlideCluster(client: GivenClient): client is GlideClusterClient {
  return client.constructor.name === 'GlideClusterClient';
}

function isNodeRedisCluster(client: GivenClient): client is NodeRedisCluster {
  return 'masters' in client && can(client, 'sendCommand') && can(client, 'duplicate');
}

/** Every client from 5.0.0 on tells whether a watched key may have changed; none of 4, and no Sentinel client or pool, does. */
function isNodeRedis(client: GivenClient): client is NodeRedisClient {
  return 'isDirtyWatch' in client && can(client, 'sendCommand') && can(client, 'duplicate');
}

function can(client: object, method: string): boolean {
  return method in client && typeof Reflect.get(client, method) === 'function';
}
