import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Far more than clients send that wait for no answer before the next request; most send one. */
const defaultMost = 32;

interface Answers {
  /** The last turn of the event loop in which a request has come. */
  turn: number;
  /** Those under way, and all that were begun in this turn. */
  readonly begun: Set<ServerResponse>;
}

/**
 * The requests of each connection that have no answer yet, or have come in one go. Node runs all that it finds in what it has
 * read, which may be thousands, one after the other without a look at anybody else, and keeps every answer until the
 * ones before it are taken.
 */
export class RequestsAtOnce {
  readonly #most: number;
  readonly #answers = new WeakMap<Socket, Answers>();
  #turn = 0;
  #isTurning = false;

  /** @param most of one connection; it ends with the first one beyond. Default 32. */
  constructor(most = defaultMost) {
    this.#most = most;
  }

  /** Whether a request is to be answered. If not its connection has ended. */
  begin({ socket }: IncomingMessage, response: ServerResponse): boolean {
    // What was read along with one too many is told all the same.
    if (socket.destroyed) return false;
    const { begun } = this.#answersOn(socket);
    begun.add(response);
    if (begun.size > this.#most) socket.destroy();
    return !socket.destroyed;
  }

  /** Whether a part of an answer was sent that has not ended. */
  hasBegunOn(socket: Socket): boolean {
    const { begun = [] } = this.#answers.get(socket) ?? {};
    return [...begun].some((response) => response.headersSent && !response.writableFinished);
  }

  /** Those that have ended leave with the next turn. Not by a listener of each: those cost more than the rest of this. */
  #answersOn(socket: Socket): Answers {
    const turn = this.#turnNow();
    const answers = this.#answers.get(socket);
    if (answers === undefined) {
      const first: Answers = { turn, begun: new Set() };
      this.#answers.set(socket, first);
      return first;
    }
    if (answers.turn === turn) return answers;
    answers.turn = turn;
    for (const ended of answers.begun)
      if (ended.writableFinished || ended.destroyed) answers.begun.delete(ended);
    return answers;
  }

  #turnNow(): number {
    if (!this.#isTurning) {
      this.#isTurning = true;
      setImmediate(() => {
        this.#isTurning = false;
        this.#turn += 1;
      });
    }
    return this.#turn;
  }
}
