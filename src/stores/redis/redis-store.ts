import { performance } from 'node:perf_hooks';
import { Fault } from '../../core/fault.ts';
import type { Key, Records } from '../../core/records.ts';
import { Deadlines } from '../deadlines.ts';
import type { GroupStep, HeldRecord, Store, ViewOptions } from '../store.ts';
import { untilAborted } from '../until-aborted.ts';
import { ClockSync } from './clock-sync.ts';
import { CommitPipe } from './commit-pipe.ts';
import type { Driver } from './drivers/driver.ts';
import { GroupCommit } from './group-commit.ts';
import { heldPages } from './held-records.ts';
import { KnownRecords } from './known-records.ts';
import { Link } from './link.ts';
import { Reader } from './reader.ts';
import { Reading } from './reading.ts';
import { ReadingRecords } from './reading-records.ts';
import { setAside } from './set-aside.ts';
import { StoreClock } from './store-clock.ts';
import { Versions } from './versions.ts';

/** How many nodes of a cluster a ping is likely to reach: its keys fall into as many slots. */
const pingsPerCluster = 8;

/** A store that can be waited for. */
export interface RedisStore extends Store {
  /**
   * Resolves once the server is reached, which may take longer than a deadline; rejects with `STORE_FAILED` as soon as
   * a try to reach it has failed, or the server refuses what the store needs, with the reason as its cause. The store
   * goes on trying either way.
   */
  ready(): Promise<void>;
}

/** What a look has seen of what this process knows. */
interface KnownLook<T> {
  readonly seen: T;
  /** Else the store has to be asked: see {@link ViewOptions.isStopped}. */
  readonly isAnswer: boolean;
}

/** A store over any driver. See `createRedisStore`. */
export class DrivenRedisStore implements RedisStore {
  readonly #link: Link;
  readonly #deadlines: Deadlines;
  readonly #sync: ClockSync;
  readonly #reader: Reader;
  readonly #known: KnownRecords;
  readonly #groups: GroupCommit;
  readonly #clock: StoreClock;
  #pings = 0;
  #underWay = 0;
  #isClosed = false;
  #idle: () => void = () => undefined;

  constructor(driver: Driver, deadlineMs: number, monotonicMs = () => performance.now()) {
    this.#deadlines = new Deadlines('Redis', deadlineMs, monotonicMs);
    this.#link = new Link(driver, this.#deadlines, monotonicMs);
    this.#clock = new StoreClock(monotonicMs);
    this.#sync = new ClockSync(this.#link, this.#clock, monotonicMs);
    this.#reader = new Reader(this.#link, monotonicMs);
    this.#known = new KnownRecords(this.#clock, monotonicMs);
    this.#groups = new GroupCommit({
      reader: this.#reader,
      pipe: new CommitPipe(this.#link, monotonicMs),
      known: this.#known,
      deadlines: this.#deadlines,
      versions: new Versions(),
    });
    this.#link.open(() => this.#sync.restart());
  }

  async ready(): Promise<void> {
    this.#assertOpen();
    if (this.#clock.isSet) return;
    const obstacle = this.#link.obstacle;
    if (obstacle !== null) throw obstacle;
    await (this.#link.isOpening
      ? Promise.race([this.#sync.whenSet(), this.#link.openingFailed])
      : this.#sync.whenSet());
  }

  async view<T>(
    keys: readonly Key[],
    look: (records: Records, now: number) => T,
    options: ViewOptions<T> = {},
  ): Promise<T> {
    this.#begin();
    try {
      if (!this.#clock.isSet) await this.#opened();
      const known = this.#lookAtKnown(keys, look, options);
      if (known?.isAnswer) return known.seen;
      // A block that is known not to stop this look need not be read with others: that would cost a second round trip.
      const mayBlock = known === null && this.#known.blocks.mayBlock(keys, this.#clock.now());
      const shared = mayBlock ? await this.#readTogether(keys) : undefined;
      if (shared !== undefined) {
        const seen = this.#look(shared, look);
        if (options.isStopped?.(seen) ?? true) return seen;
      }
      return this.#look(await this.#read(keys), look);
    } finally {
      this.#end();
    }
  }

  /** By what this process knows: what it has read or written a moment ago, or a block. */
  viewNow<T extends object>(
    keys: readonly Key[],
    look: (records: Records, now: number) => T,
    options: ViewOptions<T> = {},
  ): T | undefined {
    if (!this.#clock.isSet || this.#isClosed) return undefined;
    const known = this.#lookAtKnown(keys, look, options);
    return known?.isAnswer ? known.seen : undefined;
  }

  transact<T>(keys: readonly Key[], run: (records: Records, now: number) => T): Promise<T> {
    const step = { keys, run };
    // Without a promise of its own: it is the way of every operation that writes.
    return this.#isReadyFor(step) ? this.#groups.transact(step) : this.#transactLater(step);
  }

  transactEach<T>(steps: readonly GroupStep<T>[]): Promise<readonly T[]> {
    // Without a step nothing would ever tell the call that it has ended.
    if (steps.length > 0 && steps.every((step) => this.#isReadyFor(step)))
      return this.#groups.transactEach(steps);
    return Promise.all(steps.map((step) => this.#transactLater(step)));
  }

  #isReadyFor({ keys }: GroupStep<unknown>): boolean {
    return this.#clock.isSet && keys.length > 0 && !this.#isClosed;
  }

  async #transactLater<T>(step: GroupStep<T>): Promise<T> {
    this.#begin();
    try {
      if (!this.#clock.isSet) await this.#opened();
      if (step.keys.length > 0) return await this.#groups.transact(step);
      return this.#look(Reading.nothing, (records, now) => step.run(records, now));
    } finally {
      this.#end();
    }
  }

  hasPending(keys: readonly Key[]): boolean {
    return this.#groups.isBusy(keys);
  }

  async setAside(keys: readonly Key[]): Promise<number> {
    this.#assertOpen();
    if (!this.#clock.isSet) await this.#opened();
    const moved = await setAside(this.#link, keys, this.#clock.now());
    this.#known.forget(keys);
    return moved;
  }

  /** Writes, because a read would not tell a master from a replica, nor a full server from one that can serve. */
  async ping(): Promise<void> {
    this.#assertOpen();
    if (!this.#clock.isSet) await this.#opened();
    const count = this.#link.isCluster ? pingsPerCluster : 1;
    const writes = Array.from({ length: count }, () => {
      this.#pings += 1;
      const key = `portcullis-ping:{${this.#pings % 1_024}}`;
      return this.#link.send(['SET', key, '1', 'PX', '1000'], key);
    });
    await Promise.all(writes);
  }

  held(prefix: string, signal?: AbortSignal): AsyncGenerator<HeldRecord> {
    return this.heldOfAny([prefix], signal);
  }

  async *heldOfAny(prefixes: readonly string[], signal?: AbortSignal): AsyncGenerator<HeldRecord> {
    this.#assertOpen();
    if (!this.#clock.isSet) await this.#opened();
    yield* untilAborted(
      heldPages(this.#link, prefixes, () => this.#clock.now()),
      signal,
    );
  }

  /** Operations under way end first, each by its deadline at the latest. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    await this.#groups.whenIdle();
    this.#sync.stop(closed());
    await this.#link.close();
  }

  #begin(): void {
    this.#assertOpen();
    this.#underWay += 1;
  }

  #end(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#idle();
  }

  #assertOpen(): void {
    if (this.#isClosed) throw closed();
  }

  /** Only the first connection is waited for; later on, no connection is a failure at once. */
  #opened(): Promise<void> {
    return this.#deadlines.limit(this.ready(), 'the first connection');
  }

  /** Null where nothing is known. */
  #lookAtKnown<T>(
    keys: readonly Key[],
    look: (records: Records, now: number) => T,
    { isWarm = false, isStopped }: ViewOptions<T>,
  ): KnownLook<T> | null {
    // The clock is read once for all of it: it was read six times, which takes as long as some rules do.
    const nowMs = this.#known.monotonicMs();
    const now = this.#clock.now(nowMs);
    const recent = isWarm ? this.#known.recent(keys, nowMs) : undefined;
    if (recent !== undefined) return { seen: new ReadingRecords(recent, now).show(look), isAnswer: true };
    const known = this.#knownReading(keys, now, nowMs);
    if (known === undefined) return null;
    const seen = new ReadingRecords(known, now).show(look);
    return { seen, isAnswer: isStopped?.(seen) ?? true };
  }

  /** What answers a view without asking; what grows old is read again behind it. */
  #knownReading(keys: readonly Key[], now: number, nowMs: number): Reading | undefined {
    const { blocks } = this.#known;
    const known = blocks.answer(keys, now, nowMs);
    // Should that fail, the views after it ask for themselves.
    if (known?.isAging) blocks.share(keys, () => this.#read(keys)).catch((fault: unknown) => fault);
    return known?.reading;
  }

  /**
   * Where a block may run, reads together with others. Such a reading was perhaps sent before this view began, so it counts
   * only if it shows that the block still runs; else undefined: the view reads for itself.
   */
  async #readTogether(keys: readonly Key[]): Promise<Reading | undefined> {
    const { blocks } = this.#known;
    await blocks.share(keys, () => this.#read(keys));
    return blocks.answer(keys, this.#clock.now())?.reading;
  }

  async #read(keys: readonly Key[]): Promise<Reading> {
    if (keys.length === 0) return Reading.nothing;
    const reading = await this.#reader.read(keys);
    this.#known.learn(reading);
    return reading;
  }

  #look<T>(reading: Reading, look: (records: Records, now: number) => T): T {
    return new ReadingRecords(reading, this.#clock.now()).show(look);
  }
}

const closed = (): Fault => new Fault('STORE_CLOSED', 'The Redis store was used after it was closed.');
