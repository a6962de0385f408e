import type { Key } from '../../core/records.ts';
import { textsOf } from '../step-records.ts';
import { Snapshot } from './envelope.ts';
import { KnownBlocks } from './known-blocks.ts';
import { Reading } from './reading.ts';
import { RecordCache } from './record-cache.ts';
import type { StoreClock } from './store-clock.ts';

/** How long what was read may be the starting point of a commit. Older is likelier to be stale than not worth a read. */
const warmMs = 300;
/** Enough for all that is under way at once; more would only keep the garbage collector busy. */
const maxWarmRecords = 8_192;

/** What this process knows of the store's records without asking: the starting points of commits, and known blocks. */
export class KnownRecords {
  readonly blocks: KnownBlocks;
  readonly monotonicMs: () => number;
  readonly #warm: RecordCache;
  readonly #clock: StoreClock;
  #passed = Snapshot.passed(Number.NEGATIVE_INFINITY);

  constructor(clock: StoreClock, monotonicMs: () => number) {
    this.monotonicMs = monotonicMs;
    this.blocks = new KnownBlocks(monotonicMs);
    this.#warm = new RecordCache({ maxRecords: maxWarmRecords, maxAgeMs: warmMs }, monotonicMs);
    this.#clock = clock;
  }

  /**
   * The store's time.
   *
   * @param nowMs the monotonic time, where it was just read
   */
  now(nowMs = this.monotonicMs()): number {
    return this.#clock.now(nowMs);
  }

  /**
   * All that is needed to run a step over these keys, or undefined if something was not read lately.
   *
   * @param nowMs the monotonic time, where it was just read
   */
  recent(keys: readonly Key[], nowMs = this.monotonicMs()): Reading | undefined {
    const oldestMs = this.#warm.oldestMs(nowMs);
    return Reading.of(keys, (text, key) =>
      text === key.text ? this.#warm.getBy(key, oldestMs) : this.#warm.get(text, oldestMs),
    );
  }

  /** What the next snapshot of a record may be made of: see {@link RecordCache.spareOf}. */
  spareOf(key: Key): Snapshot | null {
    return this.#warm.spareOf(key);
  }

  /**
   * Takes in what was read or written.
   *
   * @param nowMs the monotonic time, where it was just read
   */
  learn(reading: Reading, nowMs = this.monotonicMs()): void {
    this.#warm.tidy(nowMs);
    reading.forEach((text, snapshot, key) => {
      if (text === key.text) this.#warm.setBy(key, snapshot);
      else this.#warm.set(text, snapshot);
    });
    this.blocks.learn(reading, this.now(nowMs));
  }

  /**
   * Takes in what was written.
   *
   * @param before what the writing rested on
   * @param after by its places
   * @param isAwaited whether somebody waits for these records
   * @param answeredAtMs the monotonic time at which the reply came
   */
  learnWritten(before: Reading, after: readonly Snapshot[], isAwaited: boolean, answeredAtMs: number): void {
    // One for all that were answered together: it outlives them, and a failure has three groups.
    if (this.#passed.latestAtMs !== answeredAtMs) this.#passed = Snapshot.passed(answeredAtMs);
    const passed = this.#passed;
    this.#warm.tidy(answeredAtMs);
    for (let place = 0; place < after.length; place += 1) {
      const key = before.keys[place] as Key;
      const snapshot = after[place] as Snapshot;
      if (snapshot !== before.snapshots[place]) this.#warm.setWritten(key, snapshot, passed, isAwaited);
    }
    const now = this.now(answeredAtMs);
    // Where nothing is blocked, which is nearly always, there is nothing to learn.
    if (this.blocks.isEmpty && !after.some((snapshot) => snapshot.isHardBlocked(now))) return;
    this.blocks.learn(before.with(after), now);
  }

  /** Forgets records whose state is in doubt: after a commit whose outcome is not known, or when they cannot be read. */
  forget(keys: readonly Key[]): void {
    for (const text of textsOf(keys)) this.#warm.delete(text);
    this.blocks.forget(keys);
  }
}
