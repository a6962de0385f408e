import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
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
  /** Told of every connection that has ended, by its `address:port`. */
  readonly onLeave: (peer: string) => void;
  /** Takes a connection over. */
  readonly admit: (socket: Socket) => void;
}

/** How long a peer may keep its half of a connection open after we have ended ours. */
const halfOpenMs = 2_000;

/**
 * Accepts connections in the place of the gRPC library, which takes as many as come and keeps them for ever: whoever
 * opens enough of them leaves no file descriptors to the rest of the service.
 */
export class GrpcDoor {
  readonly #parts: DoorParts;
  readonly #server: Server;
  /** By their `address:port`, as the library has it. */
  readonly #sockets = new Map<string, Socket>();

  constructor(parts: DoorParts) {
    this.#parts = parts;
    this.#server = createServer({ noDelay: true }, (socket) => this.#enter(socket));
    this.#server.maxConnections = parts.connections;
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

  /** Lets nobody in any more; who is in stays. */
  close(): void {
    this.#server.close();
  }

  /** Ends all connections at once. */
  cut(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }

  /** Ends one of them. */
  cutOff(peer: string): void {
    this.#sockets.get(peer)?.destroy();
  }

  #enter(socket: Socket): void {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
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
      if (this.#sockets.get(peer) === socket) this.#sockets.delete(peer);
      this.#parts.onLeave(peer);
    });
    this.#parts.admit(socket);
  }
}

function whyShut(port: number, cause: unknown): string {
  if (cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')
    return `port ${port} (gRPC for Envoy) is taken: choose another with --grpc-port, or none`;
  return `gRPC cannot listen on port ${port}: ${cause instanceof Error ? cause.message : 'unknown'}`;
}
