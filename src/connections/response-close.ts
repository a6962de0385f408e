/** What of a response of `node:http` or `node:http2`, or of a framework on them, is needed to see its end. */
export interface EndingResponse {
  readonly statusCode?: number;
  readonly writableEnded?: boolean;
  readonly writableFinished?: boolean;
  /** HTTP/2 has it on the stream instead. */
  readonly destroyed?: boolean;
  readonly stream?: EndingStream | undefined;
  readonly req?: { readonly socket?: ClosingSocket | null | undefined } | undefined;
  once(event: 'finish' | 'close', listener: () => void): unknown;
}

interface EndingStream {
  readonly destroyed: boolean;
  readonly aborted: boolean;
  readonly headRequest?: boolean;
  once?(event: 'finish', listener: () => void): unknown;
}

interface ClosingSocket {
  readonly destroyed?: boolean;
  once?(event: 'close', listener: () => void): unknown;
}

/** Whether nothing more will be heard of the response. */
export function isOver(response: EndingResponse): boolean {
  if (!isOfHttp2(response)) return response.destroyed === true || socketOf(response)?.destroyed === true;
  return response.stream === undefined || response.stream.destroyed;
}

/** HTTP/2 says "finish" of every stream that closes, also of one that the client has reset. */
export function isCutOff(response: EndingResponse): boolean {
  return isOfHttp2(response) && (!response.writableEnded || response.stream?.aborted === true);
}

/**
 * Tells that all of the answer was handed over. HTTP/2 says so of a response when its stream closes, which a client puts off
 * for as long as it does not end its own half, and says it of one that was cut off too. Its stream knows better, except
 * where nothing is written to it.
 */
export function onceFinished(response: EndingResponse, tell: () => void): void {
  const told = () => {
    if (!isCutOff(response)) tell();
  };
  const { stream } = response;
  if (stream?.once === undefined || stream.headRequest) response.once('finish', told);
  else stream.once('finish', told);
}

/** By connection: those who wait for the ends of its responses. One listener serves all of them. */
const waiting = new WeakMap<ClosingSocket, Set<() => void>>();

/**
 * Tells once that a response is over, or its connection gone. Of requests that a client sends without waiting for answers,
 * Node gives the connection to the first response alone: the others say nothing when it goes, not even that they end.
 */
export function onceClosed(response: EndingResponse, tell: () => void): void {
  const socket = socketOf(response);
  const others = socket === null ? null : waitersAt(socket);
  const told = () => {
    if (others?.delete(told) === false) return;
    tell();
  };
  others?.add(told);
  response.once('close', told);
}

const isOfHttp2 = (response: EndingResponse): boolean => 'stream' in response;

/** HTTP/2 closes a response with its stream, whatever becomes of the others. */
function socketOf(response: EndingResponse): ClosingSocket | null {
  return isOfHttp2(response) ? null : (response.req?.socket ?? null);
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
