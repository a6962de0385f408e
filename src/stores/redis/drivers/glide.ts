import type { Driver, Send } from './driver.ts';

/** A client of valkey-glide (`GlideClient`), as far as the store uses it. */
export interface GlideClient {
  customCommand(args: string[]): Promise<unknown>;
}

/** A cluster client of valkey-glide (`GlideClusterClient`), as far as the store uses it. */
export interface GlideClusterClient {
  customCommand(args: string[], options?: { route: GlideRoute }): Promise<unknown>;
}

/** A route of valkey-glide. */
export type GlideRoute =
  | { type: 'primarySlotKey'; key: string }
  | { type: 'routeByAddress'; host: string; port: number };

/**
 * One server, by valkey-glide. The client is used as it was given, because the library has no way to make another
 * like it: it connects before it is handed out, reconnects by itself and does not send again what may have been
 * executed. It stays open when the store is closed.
 */
export function glideDriver(client: GlideClient): Driver {
  const send: Send = (args) => client.customCommand([...args]);
  return {
    isCluster: false,
    open: (events) => events.up(),
    send,
    masters: async () => [send],
    doubt: () => undefined,
    reset: () => undefined,
    close: async () => undefined,
  };
}

/** A cluster, by valkey-glide, used as it was given. */
export function glideClusterDriver(client: GlideClusterClient): Driver {
  return {
    isCluster: true,
    open: (events) => events.up(),
    send: (args, key) => client.customCommand([...args], { route: { type: 'primarySlotKey', key } }),
    async masters() {
      const route = { type: 'primarySlotKey', key: '' } as const;
      const nodes = mastersIn(await client.customCommand(['CLUSTER', 'SLOTS'], { route }));
      return nodes.map(
        ({ host, port }): Send =>
          (args) =>
            client.customCommand([...args], { route: { type: 'routeByAddress', host, port } }),
      );
    },
    doubt: () => undefined,
    reset: () => undefined,
    close: async () => undefined,
  };
}

/** The distinct masters out of a `CLUSTER SLOTS` reply: ranges of `[from, to, [host, port, …], …]`. */
function mastersIn(reply: unknown): { host: string; port: number }[] {
  const masters = new Map<string, { host: string; port: number }>();
  for (const range of Array.isArray(reply) ? reply : []) {
    const [host, port]: unknown[] = Array.isArray(range) && Array.isArray(range[2]) ? range[2] : [];
    if (typeof host === 'string') masters.set(`${host}:${port}`, { host, port: Number(port) });
  }
  return [...masters.values()];
}
