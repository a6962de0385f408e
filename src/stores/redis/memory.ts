import type { Key } from '../../core/records.ts';
import { KnownBlocks } from './known-blocks.ts';
import type { Reading } from './reading.ts';
import type { StoreClock } from './store-clock.ts';
import { WarmRecords } from './warm-records.ts';

/** What this process knows of the store's records without asking: the starting points of commits, and known blocks. */
export class Memory {
  readonly blocks: KnownBlocks;
  readonly monotonicMs: () => number;
  readonly #warm: WarmRecords;
  readonly #clock: StoreClock;

  constructor(clock: StoreClock, monotonicMs: () => number) {
    this.monotonicMs = monotonicMs;
    this.blocks = new KnownBlocks(monotonicMs);
    this.#warm = new WarmRecords(monotonicMs);
    this.#clock = clock;
  }

  /** The store's time. */
  now(): number {
    return this.#clock.now();
  }

  /**
   * All that is needed to run a step over these keys, or undefined if something was not read lately.
   *
   * @param nowMs the monotonic time, where it was just read
   */
  recent(keys: readonly Key[], nowMs = this.monotonicMs()): Reading | undefined {
    return this.#warm.reading(keys, nowMs);
  }

  /** Takes in what was read or written. */
  learn(reading: Reading): void {
    this.#warm.learn(reading);
    this.blocks.learn(reading, this.now());
  }

  /** Forgets records whose state is in doubt: after a commit whose outcome is not known, or when they cannot be read. */
  forget(keys: readonly Key[]): void {
    this.#warm.forget(keys);
    this.blocks.forget(keys);
  }
}
