/**
 * Gathers what is to be sent, so that it can share commands. What comes first in a turn of the event loop goes out when its
 * callback has ended. What the other callbacks of the turn bring goes out together when it ends: requests of different
 * connections come each in a callback of its own, and would never meet.
 *
 * Clients that write once a turn (node-redis) ask for the end of the turn when they are given the first command. We have
 * asked before, so they write all of it then, and not a part of it a turn later.
 */
export class Gathering<T> {
  readonly #send: (gathered: readonly T[]) => void;
  #gathered: T[] = [];
  #hasBegun = false;

  constructor(send: (gathered: readonly T[]) => void) {
    this.#send = send;
  }

  add(item: T): void {
    this.#gathered.push(item);
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    setImmediate(this.#endTurn);
    queueMicrotask(this.#flush);
  }

  readonly #endTurn = (): void => {
    this.#hasBegun = false;
    if (this.#gathered.length > 0) this.#flush();
  };

  readonly #flush = (): void => {
    const gathered = this.#gathered;
    this.#gathered = [];
    this.#send(gathered);
  };
}
