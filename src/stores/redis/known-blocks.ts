import type { Key } from '../../core/records.ts';
import { textsOf } from '../step-records.ts';
import { Reading } from './reading.ts';
import { RecordCache } from './record-cache.ts';

/** How long a block that was seen is answered from memory: an operator's lift shows after this at the latest. */
export const KNOWN_BLOCK_MS = 2_000;
/** From this age on the next view that is answered from memory has it read again, so that steady traffic never waits. */
const renewAfterMs = KNOWN_BLOCK_MS / 2;
const maxRecords = 32_768;

/** An answer from memory, and whether it is time to read the same records again. */
export interface KnownAnswer {
  readonly reading: Reading;
  readonly isAging: boolean;
}

/**
 * HARD blocks that were seen, and what else the views that saw them had read. Traffic that is blocked is the traffic of
 * an attack: answered here it costs the store next to nothing.
 *
 * A view is answered only if one of its records is known to be blocked and every other one was read with it or
 * later: then the answer is one that the store gave, or could have given, within the last two seconds.
 */
export class KnownBlocks {
  readonly #cache: RecordCache;
  readonly #monotonicMs: () => number;
  readonly #shared = new Map<string, Promise<Reading>>();

  constructor(monotonicMs: () => number) {
    this.#cache = new RecordCache({ maxRecords, maxAgeMs: KNOWN_BLOCK_MS }, monotonicMs);
    this.#monotonicMs = monotonicMs;
  }

  /** Whether nothing is remembered. */
  get isEmpty(): boolean {
    return this.#cache.isEmpty;
  }

  /** How many records are remembered. */
  get size(): number {
    return this.#cache.size;
  }

  /**
   * The reading that answers a view, or undefined if the store has to be asked.
   *
   * @param now the store's time
   * @param nowMs the monotonic time, where it was just read
   */
  answer(keys: readonly Key[], now: number, nowMs = this.#monotonicMs()): KnownAnswer | undefined {
    if (this.#cache.isEmpty) return undefined;
    const sinceMs = this.#cache.oldestMs(nowMs);
    const reading = Reading.of(keys, (text) => this.#cache.get(text, sinceMs));
    if (reading === undefined) return undefined;
    let blockedAtMs = Number.POSITIVE_INFINITY;
    let oldestMs = Number.POSITIVE_INFINITY;
    reading.forEach((_, snapshot) => {
      oldestMs = Math.min(oldestMs, snapshot.seenAtMs);
      if (snapshot.isHardBlocked(now)) blockedAtMs = Math.min(blockedAtMs, snapshot.seenAtMs);
    });
    if (oldestMs < blockedAtMs) return undefined;
    return { reading, isAging: nowMs - oldestMs > renewAfterMs };
  }

  /** Remembers what a view has read, if it met a block; else corrects what is remembered of its records. */
  learn(reading: Reading, now: number): void {
    let isBlocked = false;
    reading.forEach((_, snapshot) => {
      isBlocked ||= snapshot.isHardBlocked(now);
    });
    if (!isBlocked && this.#cache.isEmpty) return;
    this.#cache.tidy();
    reading.forEach((text, snapshot) => {
      if (!isBlocked && !this.#cache.has(text)) return;
      snapshot.isShared = true;
      this.#cache.set(text, snapshot);
    });
  }

  /** Forgets records whose state is in doubt. */
  forget(keys: readonly Key[]): void {
    for (const text of textsOf(keys)) this.#cache.delete(text);
  }

  /** Whether a block of one of these records is known, though perhaps too long ago to be answered with. */
  mayBlock(keys: readonly Key[], now: number): boolean {
    if (this.#cache.isEmpty) return false;
    return keys.some(
      ({ text, was }) => this.#hasBlock(text, now) || (was !== null && this.#hasBlock(was, now)),
    );
  }

  #hasBlock(text: string, now: number): boolean {
    return this.#cache.get(text, Number.NEGATIVE_INFINITY)?.isHardBlocked(now) ?? false;
  }

  /** Reads once for all who ask at the same time: when a block has to be read again, all of an attack asks at once. */
  share(keys: readonly Key[], read: () => Promise<Reading>): Promise<Reading> {
    const name = keys.map((key) => key.text).join(' ');
    const underWay = this.#shared.get(name);
    if (underWay !== undefined) return underWay;
    const reading = read().finally(() => this.#shared.delete(name));
    this.#shared.set(name, reading);
    return reading;
  }
}
