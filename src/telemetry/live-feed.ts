import { randomBytes } from 'node:crypto';
import { type FeedFields, type FeedLine, type FeedType, feedId, seqIn } from './feed-event.ts';
import { FeedRing } from './feed-ring.ts';
import { FeedSampler } from './feed-sampler.ts';
import { FeedSubscription } from './feed-subscription.ts';

export interface FeedOptions {
  /** Events kept for those who come back. Default 1024. */
  readonly ringEvents?: number;
  /** Default 64. */
  readonly maxSubscribers?: number;
  /** Events that may wait for one subscriber; with more it is dropped. Default 1024. */
  readonly queueEvents?: number;
  /** Above this, events of which there are many are shown as samples. Default 200. */
  readonly eventsPerSecond?: number;
  /** Tells the ids of its events from those of other feeds, as of the same service before a restart. Default: random. */
  readonly life?: string;
  /** Milliseconds; default `Date.now`. */
  readonly clock?: () => number;
  /** Told when a subscriber comes or goes, with how many there are. */
  readonly onSubscribers?: (count: number) => void;
}

/** How the feed has fared since it was made. */
export interface FeedCounts {
  readonly published: number;
  /** Left out because there were too many a second. */
  readonly hidden: number;
  /** Subscribers that were too slow. */
  readonly dropped: number;
  readonly subscribers: number;
}

/** What holds where nobody says otherwise. */
export const feedDefaults = {
  ringEvents: 1024,
  maxSubscribers: 64,
  queueEvents: 1024,
  eventsPerSecond: 200,
} as const;

const tickMs = 1000;
const lifeBytes = 6;

/** What happens, as it happens, for consoles. Bounded in memory and in rate; says so when it leaves something out. */
export class LiveFeed {
  readonly #ring: FeedRing;
  readonly #sampler: FeedSampler;
  readonly #subscriptions = new Set<FeedSubscription>();
  readonly #maxSubscribers: number;
  readonly #queueEvents: number;
  readonly #life: string;
  readonly #clock: () => number;
  readonly #onSubscribers: (count: number) => void;
  #timer: NodeJS.Timeout | null = null;
  #hidden = 0;
  #dropped = 0;
  #isClosed = false;

  constructor(options: FeedOptions = {}) {
    this.#ring = new FeedRing(options.ringEvents ?? feedDefaults.ringEvents);
    this.#sampler = new FeedSampler(options.eventsPerSecond ?? feedDefaults.eventsPerSecond);
    this.#maxSubscribers = options.maxSubscribers ?? feedDefaults.maxSubscribers;
    this.#queueEvents = options.queueEvents ?? feedDefaults.queueEvents;
    this.#life = options.life ?? randomBytes(lifeBytes).toString('hex');
    this.#clock = options.clock ?? Date.now;
    this.#onSubscribers = options.onSubscribers ?? (() => {});
  }

  /**
   * Shows an event, or counts it where there are too many.
   *
   * @param isOrdinary whether it may be left out first, as one of a call that was allowed
   */
  publish(type: FeedType, fields: FeedFields, isOrdinary = false): void {
    this.offer(type, () => fields, isOrdinary);
  }

  /** The same for events of which there are as many as requests: their fields are only made when there is room. */
  offer(type: FeedType, fieldsOf: () => FeedFields, isOrdinary: boolean): void {
    const now = Math.round(this.#clock());
    this.tell(now);
    if (this.#sampler.shows(type, isOrdinary, now)) {
      this.#add(type, fieldsOf(), now);
      return;
    }
    this.#hidden += 1;
    this.#arm();
  }

  /** Says what was left out, once its second is over. Called by itself; at hand for tests. */
  tell(now = Math.round(this.#clock())): void {
    const sampled = this.#sampler.takeSampled(now);
    if (sampled !== null) this.#add('sampled', sampled, now);
  }

  /**
   * Events from now on, or from after `since` on. Null when there are as many subscribers as there may be.
   *
   * @param since id of the last event seen, as `Last-Event-ID` has it; `0` for none, so that all that is kept is shown
   */
  subscribe({ since = null }: { since?: string | null } = {}): FeedSubscription | null {
    if (this.#subscriptions.size >= this.#maxSubscribers) return null;
    const subscription = new FeedSubscription(this.#queueEvents, (reason) => {
      this.#subscriptions.delete(subscription);
      if (reason === 'slow') this.#dropped += 1;
      this.#onSubscribers(this.#subscriptions.size);
    });
    this.#subscriptions.add(subscription);
    this.#onSubscribers(this.#subscriptions.size);
    if (since !== null) this.#resume(subscription, since);
    // Nobody would end it later.
    if (this.#isClosed) subscription.end();
    return subscription;
  }

  counts(): FeedCounts {
    const { latest: published } = this.#ring;
    return { published, hidden: this.#hidden, dropped: this.#dropped, subscribers: this.#subscriptions.size };
  }

  /** Ends every subscription; the feed goes on, and readers who come back go on where they were. */
  endSubscriptions(): void {
    for (const subscription of this.#subscriptions) subscription.end();
  }

  /** Ends every subscription, those that are still to come as well, and tells nothing by itself any more. */
  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.endSubscriptions();
  }

  #add(type: FeedType, fields: FeedFields, t: number): void {
    const seq = this.#ring.latest + 1;
    const line = { ...lineOf(seq, t, type, fields), id: feedId(this.#life, seq) };
    this.#ring.add(line);
    for (const subscription of this.#subscriptions) subscription.give(line);
  }

  /** An id from before a restart, or one older than the ring, means that events were missed. */
  #resume(subscription: FeedSubscription, since: string): void {
    const { latest, oldest } = this.#ring;
    const seen = seqIn(since, this.#life);
    const isOurs = seen !== null && seen <= latest;
    // One place of the queue is for the gap itself: who comes back must not be dropped for what it is given at once.
    const first = Math.max(oldest, latest - this.#queueEvents + 2);
    const from = isOurs ? Math.max(seen, first - 1) : first - 1;
    if (!isOurs || seen < from) {
      const missed = isOurs ? from - seen : null;
      subscription.give(lineOf(0, Math.round(this.#clock()), 'gap', { missed }));
    }
    for (const line of this.#ring.after(from)) subscription.give(line);
  }

  #arm(): void {
    if (this.#timer !== null) return;
    this.#timer = setInterval(() => {
      this.tell();
      if (this.#sampler.isQuiet && this.#timer !== null) {
        clearInterval(this.#timer);
        this.#timer = null;
      }
    }, tickMs);
    this.#timer.unref();
  }
}

const lineOf = (seq: number, t: number, type: FeedType, fields: FeedFields): FeedLine => ({
  seq,
  id: null,
  t,
  type,
  json: JSON.stringify({ seq, t, type, ...fields }),
});
