import { once } from 'node:events';
import {
  createServer,
  type Http2Server,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { Connections } from '../../connections/connections.ts';
import { Fault } from '../../core/fault.ts';

/** Who comes in, and how many. */
export interface DoorParts {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Connections at once. */
  readonly connections: number;
  /** How long a connection may stay without having sent anything. */
  readonly silentMs: number;
  /** How long a connection may stay without a call. */
  readonly idleMs: number;
  /** Told of every connection that has ended, by its `address:port`. */
  readonly onLeave: (peer: string) => void;
  /** Takes a call over; false when it was turned away. */
  readonly admit: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, peer: string) => boolean;
}

/** How long a peer may keep its half of a connection open after we have ended ours. */
const halfOpenMs = 2_000;
/** Of one connection; Envoy opens further connections where it needs more. */
const mostConcurrentStreams = 100;
/**
 * Of all headers of a call. What a visitor has sent to Envoy comes in the message, but for its `tracestate`: where Envoy traces it
 * hands that on, of any length up to its own bound of 60 KiB, and a call that is reset lets the visitor pass.
 */
const mostHeaderBytes = 64 * 1024;
/** Calls of one connection that are turned away before it is cut: Node reads on from one socket for thousands of calls, while all others wait. */
const mostTurnedAway = 256;

/**
 * Accepts connections of HTTP/2, as many as there is room for, and ends those that bring nothing: whoever opens enough of them
 * would leave no file descriptors to the rest of the service, and none of this port to Envoy.
 */
export class GrpcDoor {
  readonly #parts: DoorParts;
  readonly #server: Http2Server;
  /** When they get scarce, those that nobody has been let in by make room. */
  readonly #connections: Connections;
  /** By their `address:port`. */
  readonly #sockets = new Map<string, Socket>();
  readonly #sessions = new Set<Http2Session>();
  #left = (): void => {};

  constructor(parts: DoorParts) {
    this.#parts = parts;
    this.#server = createServer({
      settings: { maxConcurrentStreams: mostConcurrentStreams, maxHeaderListSize: mostHeaderBytes },
    });
    this.#server.maxConnections = parts.connections;
    this.#server.on('session', (session) => this.#begin(session));
    this.#server.on('connection', (socket: Socket) => this.#enter(socket));
    // Those that rest are Envoy's, mostly, and are closed in time.
    const keepIdle = () => {};
    this.#connections = new Connections(this.#server, parts.connections, () => performance.now(), keepIdle);
  }

  /**
   * Gives the port it listens on.
   *
   * @throws Fault `CONFIG_INVALID` when it cannot
   */
  async open(): Promise<number> {
    const { host, port } = this.#parts;
    try {
      await once(this.#server.listen({ host, port }), 'listening');
    } catch (cause) {
      throw new Fault('CONFIG_INVALID', whyShut(port, cause), { cause });
    }
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  }

  /** Lets nobody in any more and ends each connection after its last call. Resolves when all have ended. */
  close(): Promise<void> {
    this.#server.close();
    for (const session of this.#sessions) endAfterCalls(session);
    if (this.#sockets.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#left = resolve;
    });
  }

  /** Ends all connections at once. */
  cut(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }

  /** Ends one of them. */
  cutOff(peer: string): void {
    this.#sockets.get(peer)?.destroy();
  }

  /** Somebody who may has called on this connection. */
  know(peer: string): void {
    const socket = this.#sockets.get(peer);
    if (socket !== undefined) this.#connections.spoke(socket);
  }

  #enter(socket: Socket): void {
    const peer = peerOf(socket);
    this.#sockets.set(peer, socket);
    const silence = setTimeout(() => {
      // After what has come meanwhile is read: a process that was busy for so long must not blame its peers.
      setImmediate(() => void (socket.bytesRead === 0 && socket.destroy()));
    }, this.#parts.silentMs);
    let farewell: NodeJS.Timeout | undefined;
    // Not `finish`: that waits until a peer has taken everything, and this is about one that does nothing.
    socket.once('prefinish', () => {
      farewell = setTimeout(() => socket.destroy(), halfOpenMs);
    });
    socket.once('close', () => {
      clearTimeout(silence);
      clearTimeout(farewell);
      if (this.#sockets.get(peer) === socket) this.#leave(peer);
    });
  }

  #leave(peer: string): void {
    this.#sockets.delete(peer);
    this.#parts.onLeave(peer);
    if (this.#sockets.size === 0) this.#left();
  }

  #begin(session: Http2Session): void {
    const peer = peerOf(session.socket);
    this.#sessions.add(session);
    let calls = 0;
    let turnedAway = 0;
    const idle = setTimeout(() => void (calls === 0 && endAfterCalls(session)), this.#parts.idleMs).unref();
    session.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      calls += 1;
      stream.once('close', () => {
        calls -= 1;
        if (calls === 0) idle.refresh();
      });
      // What breaks off has its end told by `close`, and nobody who could be told of more.
      stream.on('error', () => {});
      // Node holds to our bound only those who have confirmed it, and of few bytes HPACK makes headers of many.
      if (session.pendingSettingsAck && bytesOf(headers) > mostHeaderBytes) this.cutOff(peer);
      else if (!this.#parts.admit(stream, headers, peer)) {
        turnedAway += 1;
        // Not `close`: to a call that is read along with this one Node would free the stream while it reads it.
        if (turnedAway > mostTurnedAway) this.cutOff(peer);
      }
    });
    session.once('close', () => {
      clearTimeout(idle);
      this.#sessions.delete(session);
    });
  }
}

/**
 * Ends a connection after its last call. Its peer is told before it is closed: to a call that comes in between, Node would free the
 * stream that it is still reading. Until the peer has been told, calls are taken.
 */
function endAfterCalls(session: Http2Session): void {
  if (session.closed || session.destroyed) return;
  session.goaway();
  setImmediate(() => session.close());
}

const peerOf = ({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string =>
  `${remoteAddress}:${remotePort}`;

function bytesOf(headers: IncomingHttpHeaders): number {
  let bytes = 0;
  for (const [name, value = ''] of Object.entries(headers)) bytes += name.length + String(value).length;
  return bytes;
}

function whyShut(port: number, cause: unknown): string {
  if (cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')
    return `port ${port} (gRPC for Envoy) is taken: choose another with --grpc-port, or none`;
  return `gRPC cannot listen on port ${port}: ${cause instanceof Error ? cause.message : 'unknown'}`;
}
