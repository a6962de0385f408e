/**
 * The calls of strangers that are under way: on a message that does not come, or with an answer that nobody takes. Where there
 * are too many, the connection that has taken longest over one is cut: honest messages come with the call that they
 * belong to, and honest callers take what they have asked for.
 */
export class StrangerCalls {
  readonly #most: number;
  readonly #cut: (peer: string) => void;
  /** Oldest first. */
  readonly #calls = new Set<{ readonly peer: string }>();

  /** @param cut ends the connection of a peer, with all that its calls hold */
  constructor(most: number, cut: (peer: string) => void) {
    this.#most = most;
    this.#cut = cut;
  }

  /** To be called when a call begins; what is given back, when it has ended. */
  begin(peer: string): () => void {
    const call = { peer };
    this.#calls.add(call);
    const [oldest = call] = this.#calls;
    if (this.#calls.size > this.#most) this.#cutOff(oldest.peer);
    return () => void this.#calls.delete(call);
  }

  /** To be called when a connection has ended. */
  forget(peer: string): void {
    for (const call of this.#calls) if (call.peer === peer) this.#calls.delete(call);
  }

  #cutOff(peer: string): void {
    this.forget(peer);
    this.#cut(peer);
  }
}
