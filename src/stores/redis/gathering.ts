/**
 * Gathers what is to be sent, so that it can share commands. While nothing is under way it goes out when the present callback
 * has ended. Else it waits for what the other callbacks of this turn of the event loop bring: requests of different
 * connections come each in a callback of its own, and would never meet. What is under way takes longer than that turn.
 */
export class Gathering<T> {
  readonly #send: (gathered: readonly T[]) => void;
  #gathered: T[] = [];
  #underWay = 0;

  constructor(send: (gathered: readonly T[]) => void) {
    this.#send = send;
  }

  add(item: T): void {
    this.#gathered.push(item);
    if (this.#gathered.length > 1) return;
    if (this.#underWay === 0) queueMicrotask(this.#flush);
    else setImmediate(this.#flush);
  }

  /** A command is under way. */
  begin(): void {
    this.#underWay += 1;
  }

  /** It was answered, or nobody waits for it any more. */
  end(): void {
    this.#underWay -= 1;
  }

  readonly #flush = (): void => {
    const gathered = this.#gathered;
    this.#gathered = [];
    this.#send(gathered);
  };
}
