/** What of a response is needed to hear that its connection is gone. */
export interface ClosingResponse {
  /** HTTP/2 closes a response with its stream, whatever becomes of the others. */
  readonly stream?: unknown;
  readonly req?: { readonly socket?: ClosingSocket | null | undefined } | undefined;
  once(event: 'close', listener: () => void): unknown;
}

interface ClosingSocket {
  readonly destroyed?: boolean;
  once?(event: 'close', listener: () => void): unknown;
}

/** By connection: those who wait for the ends of its responses. One listener serves all of them. */
const waiting = new WeakMap<ClosingSocket, Set<() => void>>();

/**
 * Tells once that a response is over, or its connection gone. Of requests that a client sends without waiting for answers,
 * Node gives the connection to the first response alone: the others say nothing when it goes, not even that they end.
 */
export function onceClosed(response: ClosingResponse, tell: () => void): void {
  const socket = socketOf(response);
  const others = socket === null ? null : waitersAt(socket);
  const told = () => {
    if (others?.delete(told) === false) return;
    tell();
  };
  others?.add(told);
  response.once('close', told);
}

/** Whether the connection of an HTTP/1 response is gone. */
export function isConnectionGone(response: ClosingResponse): boolean {
  return socketOf(response)?.destroyed === true;
}

function socketOf(response: ClosingResponse): ClosingSocket | null {
  return 'stream' in response ? null : (response.req?.socket ?? null);
}

function waitersAt(socket: ClosingSocket): Set<() => void> | null {
  const known = waiting.get(socket);
  if (known !== undefined) return known;
  // What stands in for a socket in tests of a host may be silent.
  if (socket.once === undefined) return null;
  const waiters = new Set<() => void>();
  waiting.set(socket, waiters);
  socket.once('close', () => {
    for (const told of [...waiters]) told();
  });
  return waiters;
}
