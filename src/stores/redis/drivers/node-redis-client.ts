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

/** The library, only when it is needed: with another driver's client it need not be installed. */
export async function importNodeRedis() {
  try {
    return await import('redis');
  } catch (cause) {
    throw new Fault(
      'CONFIG_INVALID',
      'The package `redis` is not installed, and no client of another library was given.',
      {
        cause,
      },
    );
  }
}
