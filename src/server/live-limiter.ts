import type { Call, Limiter, Verdict } from '../limits/index.ts';

/** A limiter that can be replaced while it is in use, when limits change. */
export class LiveLimiter implements Limiter {
  #current: Limiter;
  readonly #onVerdict: (verdict: Verdict) => void;

  constructor(first: Limiter, onVerdict: (verdict: Verdict) => void) {
    this.#current = first;
    this.#onVerdict = onVerdict;
  }

  /** Of the one in use: another configuration may bring another name. */
  get name(): string {
    return this.#current.name;
  }

  /** The limiter in use. */
  get current(): Limiter {
    return this.#current;
  }

  /** Uses another limiter from now on, which counts on from where this one is. */
  replace(next: Limiter): void {
    this.#current = next;
  }

  readonly take: Limiter['take'] = async (call) => this.takeAtOnce(call);
  readonly settle: Limiter['settle'] = (verdict, cost) => this.#current.settle(verdict, cost);
  readonly blocks: Limiter['blocks'] = (options) => this.#current.blocks(options);
  readonly blockIdOf: Limiter['blockIdOf'] = (client) => this.#current.blockIdOf(client);
  readonly lift: Limiter['lift'] = (client) => this.#current.lift(client);
  readonly block: Limiter['block'] = (client, fromLevel) => this.#current.block(client, fromLevel);
  readonly counts: Limiter['counts'] = () => this.#current.counts();

  readonly takeAtOnce = (call: Call): Verdict | Promise<Verdict> => {
    const limiter = this.#current;
    const verdict = limiter.takeAtOnce === undefined ? limiter.take(call) : limiter.takeAtOnce(call);
    return verdict instanceof Promise
      ? verdict.then((later) => this.#counted(later))
      : this.#counted(verdict);
  };

  #counted(verdict: Verdict): Verdict {
    this.#onVerdict(verdict);
    return verdict;
  }
}
