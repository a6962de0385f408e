import { Fault } from '../../../core/fault.ts';

/** A node-redis client (`createClient`), as far as the store uses it. */
export interface NodeRedisClient {
  readonly isReady: boolean;
  readonly options?: object | undefined;
  connect(): Promise<unknown>;
  destroy(): unknown;
  duplicate(overrides?: object): NodeRedisClient;
  sendCommand(args: readonly string[], options?: object): Promise<unknown>;
  on(event: string, listener: (cause: Error) => void): unknown;
}

/** A node-redis cluster (`createCluster`), as far as the store uses it. */
export interface NodeRedisCluster {
  readonly slots: readonly { readonly master: { readonly client?: NodeRedisClient | undefined } }[];
  readonly masters: readonly { readonly client?: NodeRedisClient | undefined }[];
  readonly _options?: { readonly defaults?: object | undefined };
  connect(): Promise<unknown>;
  destroy(): unknown;
  duplicate(overrides?: object): NodeRedisCluster;
  sendCommand(key: string, isReadonly: boolean, args: string[], options?: object): Promise<unknown>;
  on(event: string, listener: (cause: Error) => void): unknown;
}

/** What the store rests on, whatever else a connection is configured to do. */
export const nodeRedisDemands = {
  RESP: 2,
  disableOfflineQueue: true,
  disableClientInfo: true,
  maintNotifications: 'disabled',
  readonly: false,
  keyPrefix: undefined,
  clientSideCache: undefined,
  pingInterval: 0,
} as const;

/** The store has deadlines of its own; the library's would cost an abort signal for each command. */
export const noTimeout = { timeout: 0 } as const;

/** Options that are themselves objects are laid over each other; the later ones win. */
export function withSocket(options: object, socket: object): object {
  const own = 'socket' in options && typeof options.socket === 'object' ? options.socket : {};
  return { ...options, ...nodeRedisDemands, socket: { ...own, ...socket } };
}

/**
 * Ends a client, whatever has become of it: some versions of the library throw where it is closed already, and why it was to
 * go matters more. Gives whether it was still there.
 */
export function dispose(client: Pick<NodeRedisClient, 'destroy'>): boolean {
  try {
    client.destroy();
    return true;
  } catch {
    return false;
  }
}

/** What the store takes from the library. Named here, so that declarations do without a library that is optional. */
interface NodeRedisLibrary {
  createClient(options: object): NodeRedisClient;
  createCluster(options: ClusterOptions): NodeRedisCluster;
}

/** What a cluster client of the library is made with, as far as the store says it. */
export interface ClusterOptions {
  readonly rootNodes: object[];
  readonly defaults: object;
  readonly topologyRefreshOnReconnectionAttemptStrategy: number;
  readonly RESP: 2;
}

/**
 * The library, only when it is needed: with another driver's client it need not be installed.
 *
 * @throws Fault `CONFIG_INVALID` when it is not installed, or too old: before version 5 it has neither the options nor the
 * methods that deadlines rest on.
 */
export async function importNodeRedis(): Promise<NodeRedisLibrary> {
  const library = await installedNodeRedis();
  if ('createSentinel' in library) return library;
  throw new Fault(
    'CONFIG_INVALID',
    'The Redis store needs the package redis in version 5 or later: npm install redis@latest',
  );
}

async function installedNodeRedis(): Promise<NodeRedisLibrary> {
  try {
    return await import('redis');
  } catch (cause) {
    throw new Fault(
      'CONFIG_INVALID',
      'The Redis store needs the package redis: npm install redis; or give it a client of ioredis, iovalkey or valkey-glide',
      { cause },
    );
  }
}
