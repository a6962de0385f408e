/** Stands for a peer that had gone before its address was asked for. */
export const gonePeer = 'gone';

/**
 * The address at the other end of a connection; none for a Unix socket. A connection that is gone has none either, and
 * whoever hangs up must not be taken for the proxy that calls through a Unix socket.
 */
export function peerOf(
  socket: { readonly remoteAddress?: string | undefined; readonly destroyed?: boolean } | null | undefined,
): string | undefined {
  return socket?.remoteAddress ?? (socket?.destroyed ? gonePeer : undefined);
}
