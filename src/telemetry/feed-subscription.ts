import type { FeedLine } from './feed-event.ts';

/** Why a subscription has ended: its reader went away, it was too slow, or the feed closed. */
export type SubscriptionEnd = 'left' | 'slow' | 'closed';

/**
 * One reader of the feed. Events wait in a bounded queue until they are read; a reader that lets it run full gets a last
 * event that says so, and has to come back.
 */
export class FeedSubscription implements AsyncIterable<FeedLine> {
  #queue: FeedLine[] = [];
  readonly #mostQueued: number;
  readonly #onEnd: (reason: SubscriptionEnd) => void;
  #wake: (() => void) | null = null;
  #ended: SubscriptionEnd | null = null;

  constructor(mostQueued: number, onEnd: (reason: SubscriptionEnd) => void) {
    this.#mostQueued = mostQueued;
    this.#onEnd = onEnd;
  }

  /** Adds an event, or ends the subscription when too many wait. */
  give(line: FeedLine): void {
    if (this.#ended !== null) return;
    if (this.#queue.length >= this.#mostQueued) {
      const notice = { seq: 0, t: line.t, type: 'dropped', waiting: this.#queue.length } as const;
      this.#queue = [{ seq: 0, id: null, t: line.t, type: 'dropped', json: JSON.stringify(notice) }];
      this.#finish('slow');
      return;
    }
    this.#queue.push(line);
    this.#wake?.();
  }

  /** The events that wait, all at once; empty when none does. */
  take(): readonly FeedLine[] {
    const lines = this.#queue;
    this.#queue = [];
    return lines;
  }

  get ended(): SubscriptionEnd | null {
    return this.#ended;
  }

  /** Resolves when events wait or the subscription has ended. One reader at a time. */
  async ready(): Promise<void> {
    if (this.#queue.length > 0 || this.#ended !== null) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = null;
  }

  /** The reader goes away. */
  leave(): void {
    this.#finish('left');
  }

  /** The feed closes; what waits can still be read. */
  end(): void {
    this.#finish('closed');
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FeedLine> {
    try {
      while (true) {
        await this.ready();
        yield* this.take();
        if (this.#ended !== null && this.#queue.length === 0) return;
      }
    } finally {
      this.leave();
    }
  }

  #finish(reason: SubscriptionEnd): void {
    if (this.#ended !== null) return;
    this.#ended = reason;
    this.#wake?.();
    this.#onEnd(reason);
  }
}
