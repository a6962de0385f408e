import { pause, STALL_MS } from './reconnect.ts';

/**
 * Finds connections that take commands and answer none: a stopped server, or a host that is gone without a word,
 * which TCP would notice only after many minutes. A connection in doubt is asked once for a sign of life.
 */
export class Probe<Connection extends object> {
  readonly #ping: (connection: Connection) => Promise<unknown>;
  readonly #dead: (connection: Connection) => void;
  readonly #asked = new WeakSet<Connection>();

  constructor(ping: (connection: Connection) => Promise<unknown>, dead: (connection: Connection) => void) {
    this.#ping = ping;
    this.#dead = dead;
  }

  /** Any answer is a sign of life, an error too. */
  async doubt(connection: Connection): Promise<void> {
    if (this.#asked.has(connection)) return;
    this.#asked.add(connection);
    const alive = () => true;
    const isAlive = await Promise.race([
      this.#ping(connection).then(alive, alive),
      pause(STALL_MS).then(() => false),
    ]);
    this.#asked.delete(connection);
    if (!isAlive) this.#dead(connection);
  }
}
