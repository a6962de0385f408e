import { randomUUID } from 'node:crypto';
import { pause, STALL_MS } from './reconnect.ts';

/** What some proxies answer by themselves, whatever the server was to say. */
const plainAnswer = 'PONG';

/**
 * Finds connections that take commands and answer none: a stopped server, or a host that is gone without a word,
 * which TCP would notice only after many minutes. And those that have lost a reply on the way: from then on each command
 * gets the answer to another one. A connection in doubt is asked once for a sign of life, by a word that nobody else sends.
 */
export class Probe<Connection extends object> {
  readonly #ping: (connection: Connection, word: string) => Promise<unknown>;
  readonly #dead: (connection: Connection) => void;
  readonly #asked = new WeakSet<Connection>();

  /** @param ping has the server say a word */
  constructor(
    ping: (connection: Connection, word: string) => Promise<unknown>,
    dead: (connection: Connection) => void,
  ) {
    this.#ping = ping;
    this.#dead = dead;
  }

  /** The word is a sign of life; an error too, which is all that some servers have to say. */
  async doubt(connection: Connection): Promise<void> {
    if (this.#asked.has(connection)) return;
    this.#asked.add(connection);
    const word = randomUUID();
    const isAlive = await Promise.race([
      this.#ping(connection, word).then(
        (answer) => [word, plainAnswer].includes(String(answer)),
        () => true,
      ),
      pause(STALL_MS).then(() => false),
    ]);
    this.#asked.delete(connection);
    if (!isAlive) this.#dead(connection);
  }
}
