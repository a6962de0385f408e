/**
 * The calls of strangers that are under way: on a message that does not come, or with an answer that nobody takes. Where there
 * are too many, the connection that has most of them is cut, and of those with as many the one that has taken longest over one:
 * a probe asks once at a time, its message comes with the call that it belongs to, and it takes what it has asked for. The
 * oldest alone would be the probe, wherever somebody begins dozens of calls at once.
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
    if (this.#calls.size > this.#most) this.#cutOff(this.#busiest());
    return () => void this.#calls.delete(call);
  }

  /** To be called when a connection has ended. */
  forget(peer: string): void {
    for (const call of this.#calls) if (call.peer === peer) this.#calls.delete(call);
  }

  /** Of several with as many calls the oldest. */
  #busiest(): string {
    const counts = new Map<string, number>();
    for (const { peer } of this.#calls) counts.set(peer, (counts.get(peer) ?? 0) + 1);
    let busiest = '';
    let most = 0;
    for (const [peer, count] of counts) {
      if (count <= most) continue;
      busiest = peer;
      most = count;
    }
    return busiest;
  }

  #cutOff(peer: string): void {
    this.forget(peer);
    this.#cut(peer);
  }
}
