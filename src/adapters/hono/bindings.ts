import type { Context } from 'hono';
import { gonePeer, peerOf } from '../../connections/peer.ts';

/** What a server hands along with each request, which Hono keeps as the bindings of the context. */
interface Bindings {
  /** `@hono/node-server`: Node's request. */
  readonly incoming?: {
    readonly socket?: Parameters<typeof peerOf>[0];
    readonly rawHeaders?: readonly string[];
  };
  /** Deno: the other end, by its path where it calls through a Unix socket. */
  readonly remoteAddr?: { readonly hostname?: string };
  /** Bun: the server itself. It forgets the address of a client that is gone, and has no port on a Unix socket. */
  readonly requestIP?: (request: Request) => { readonly address: string } | null;
  readonly port?: number;
}

/** The address of the peer, where Node, Bun and Deno keep it; other runtimes keep it elsewhere. */
export function peerOfContext(context: Context): string | undefined {
  const bindings = bindingsOf(context);
  if (typeof bindings?.requestIP === 'function') {
    const address = bindings.requestIP(context.req.raw)?.address;
    return address ?? (bindings.port === undefined ? undefined : gonePeer);
  }
  return bindings?.remoteAddr?.hostname ?? peerOf(bindings?.incoming?.socket);
}

const first = new WeakMap<Context, object>();

/**
 * The request that all gates on its way see: what Node has made, else the first that the context had. Hono's own may be replaced,
 * by one that has read the body, and is where an application is mounted in another one.
 */
export function requestOf(context: Context): object {
  const incoming = bindingsOf(context)?.incoming;
  if (incoming !== undefined) return incoming;
  const known = first.get(context);
  if (known !== undefined) return known;
  first.set(context, context.req.raw);
  return context.req.raw;
}

/** The names and values as they came, where Node keeps them: a `Headers` has forgotten their order. */
export function rawHeadersOf(context: Context): readonly string[] | undefined {
  return bindingsOf(context)?.incoming?.rawHeaders;
}

function bindingsOf(context: Context): Bindings | undefined {
  return context.env as Bindings | undefined;
}
