import type { Server, Socket } from 'node:net';

/** Of the bound: from here on connections that bring nothing make room for those that may. */
const crowdedShare = 0.9;
/** Closing idle connections walks over all of them, so it is not done for every one that comes. */
const tidyEveryMs = 250;

/**
 * Keeps connections without requests from keeping others out. When it gets crowded, connections that rest between
 * requests are closed, then the oldest of those that have not brought a request yet: who has opened thousands and
 * says nothing, or speaks a letter a second, loses them first.
 */
export class Connections {
  readonly #endIdle: () => void;
  readonly #crowded: number;
  readonly #clock: () => number;
  /** Those without a request so far, oldest first. */
  readonly #silent = new Set<Socket>();
  #count = 0;
  #tidiedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param clock monotonic, in ms
   * @param endIdle closes those that rest between requests
   */
  constructor(server: Server, most: number, clock: () => number, endIdle: () => void) {
    this.#endIdle = endIdle;
    this.#crowded = Math.max(1, Math.floor(most * crowdedShare));
    this.#clock = clock;
    server.on('connection', (socket) => this.#enter(socket));
  }

  /** A request has come on this connection. */
  spoke(socket: Socket): void {
    this.#silent.delete(socket);
  }

  #enter(socket: Socket): void {
    this.#count += 1;
    this.#silent.add(socket);
    socket.once('close', () => {
      this.#count -= 1;
      this.#silent.delete(socket);
    });
    if (this.#count > this.#crowded) this.#makeRoom(socket);
  }

  #makeRoom(newcomer: Socket): void {
    const now = this.#clock();
    if (now - this.#tidiedAt >= tidyEveryMs) {
      this.#tidiedAt = now;
      this.#endIdle();
    }
    const [oldest] = this.#silent;
    if (oldest !== undefined && oldest !== newcomer) oldest.destroy();
  }
}
