/**
 * The messages of strangers that are on their way, of which each may hold as much as the largest one. Where there are too many,
 * the connection that has taken longest over one is cut: honest messages come with the call that they belong to.
 */
export class UnreadMessages {
  readonly #most: number;
  readonly #cut: (peer: string) => void;
  /** Oldest first. */
  readonly #unread = new Set<{ readonly peer: string }>();

  /** @param cut ends the connection of a peer, with all that its calls hold */
  constructor(most: number, cut: (peer: string) => void) {
    this.#most = most;
    this.#cut = cut;
  }

  /** To be called when a call begins; what is given back, when all of it is there. */
  expect(peer: string): () => void {
    const message = { peer };
    this.#unread.add(message);
    const [oldest = message] = this.#unread;
    if (this.#unread.size > this.#most) this.#cutOff(oldest.peer);
    return () => void this.#unread.delete(message);
  }

  /** To be called when a connection has ended. */
  forget(peer: string): void {
    for (const message of this.#unread) if (message.peer === peer) this.#unread.delete(message);
  }

  #cutOff(peer: string): void {
    this.forget(peer);
    this.#cut(peer);
  }
}
