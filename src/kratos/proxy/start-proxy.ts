import { once } from 'node:events';
import { createKratosProxy, type KratosProxyOptions } from './kratos-proxy.ts';

/** Where the proxy listens. */
export interface ListeningProxy {
  readonly host: string;
  readonly port: number;
  /** Takes requests for `graceMs` more, default 0; then lets those under way end, for at most `drainMs`, default 10,000. */
  close(drainMs?: number, graceMs?: number): Promise<void>;
}

/** Makes a proxy and lets it listen. Rejects when the port is taken. */
export async function startKratosProxy(
  options: KratosProxyOptions & { readonly host: string; readonly port: number },
): Promise<ListeningProxy> {
  const proxy = createKratosProxy(options);
  proxy.server.listen(options.port, options.host);
  await once(proxy.server, 'listening');
  const address = proxy.server.address();
  const isBound = address !== null && typeof address !== 'string';
  return {
    host: isBound ? address.address : options.host,
    port: isBound ? address.port : options.port,
    close: (drainMs, graceMs) => proxy.close(drainMs, graceMs),
  };
}
