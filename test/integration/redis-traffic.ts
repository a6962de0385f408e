import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { Fault } from '../../src/core/fault.ts';
import type { Key } from '../../src/core/records.ts';
import type { Store } from '../../src/stores/store.ts';
import { addOne, type Count } from '../conformance/under-test.ts';

/** What became of the steps on one key. */
interface Tally {
  /** Steps that resolved: they are counted. */
  acknowledged: number;
  /** Steps that failed: they may be counted or not. */
  doubtful: number;
}

/** Adds to keys without pause, until it is told to end, and takes note of every outcome. */
export class Traffic {
  readonly keys: readonly Key<Count>[];
  /** How often each fault came. */
  readonly faults: Record<string, number> = {};
  /** The longest that an operation has taken, in milliseconds. */
  longestMs = 0;
  readonly #store: Store;
  readonly #tallies: Map<string, Tally>;
  readonly #lanes: Promise<void>[];
  #isPaused = false;
  #isEnding = false;
  #underWay = 0;

  constructor(store: Store, keys: readonly Key<Count>[]) {
    this.#store = store;
    this.keys = keys;
    this.#tallies = new Map(keys.map(({ text }) => [text, { acknowledged: 0, doubtful: 0 }]));
    this.#lanes = keys.flatMap((key) => [this.#lane(key), this.#lane(key)]);
  }

  acknowledged(): number {
    return [...this.#tallies.values()].reduce((sum, tally) => sum + tally.acknowledged, 0);
  }

  faultCount(): number {
    return Object.values(this.faults).reduce((sum, count) => sum + count, 0);
  }

  /** Waits for so many steps on every key from now on. */
  async goOn(steps: number): Promise<void> {
    const before = new Map([...this.#tallies].map(([text, { acknowledged }]) => [text, acknowledged]));
    const hasGoneOn = () =>
      [...this.#tallies].every(([text, tally]) => tally.acknowledged >= (before.get(text) ?? 0) + steps);
    while (!hasGoneOn()) await sleep(5);
  }

  /** Waits until every step under way has ended; none begins before `resume`. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    while (this.#underWay > 0) await sleep(5);
  }

  resume(): void {
    this.#isPaused = false;
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#lanes);
  }

  /** Everything acknowledged is there, and nothing was counted twice. */
  async expectCounted(store: Store): Promise<void> {
    for (const key of this.keys) {
      const count = (await store.view([key], (records) => records.get(key)?.count)) ?? 0;
      const { acknowledged, doubtful } = this.#tallies.get(key.text) ?? { acknowledged: 0, doubtful: 0 };
      expect(count).toBeGreaterThanOrEqual(acknowledged);
      expect(count).toBeLessThanOrEqual(acknowledged + doubtful);
    }
  }

  async #lane(key: Key<Count>): Promise<void> {
    while (!this.#isEnding) {
      if (this.#isPaused) await sleep(5);
      else await this.#one(key);
    }
  }

  async #one(key: Key<Count>): Promise<void> {
    const tally = this.#tallies.get(key.text);
    const startedAtMs = performance.now();
    this.#underWay += 1;
    try {
      await this.#store.transact([key], addOne(key));
      if (tally !== undefined) tally.acknowledged += 1;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.faults[error.code] = (this.faults[error.code] ?? 0) + 1;
      if (tally !== undefined) tally.doubtful += 1;
      // A host that is refused at once does not try again in the same millisecond either.
      await sleep(2);
    } finally {
      this.#underWay -= 1;
    }
    this.longestMs = Math.max(this.longestMs, performance.now() - startedAtMs);
  }
}
