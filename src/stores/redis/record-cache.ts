import type { Snapshot } from './envelope.ts';

/** How much a cache may hold, and for how long. */
export interface CacheBounds {
  readonly maxRecords: number;
  readonly maxAgeMs: number;
}

/**
 * What was seen lately. Two generations: when the younger one is full or old the elder is dropped whole, so that
 * neither a flood of keys nor time makes it grow, and nothing is ever searched for something to drop.
 */
export class RecordCache {
  readonly #bounds: CacheBounds;
  readonly #monotonicMs: () => number;
  #younger = new Map<string, Snapshot>();
  #elder = new Map<string, Snapshot>();
  #turnedAtMs: number;

  constructor(bounds: CacheBounds, monotonicMs: () => number) {
    this.#bounds = bounds;
    this.#monotonicMs = monotonicMs;
    this.#turnedAtMs = monotonicMs();
  }

  get isEmpty(): boolean {
    return this.#younger.size === 0 && this.#elder.size === 0;
  }

  /** How many records it holds, some perhaps twice. */
  get size(): number {
    return this.#younger.size + this.#elder.size;
  }

  has(text: string): boolean {
    return this.#younger.has(text) || this.#elder.has(text);
  }

  /** The latest snapshot that was seen at this monotonic time or later. */
  get(text: string, sinceMs: number): Snapshot | undefined {
    const snapshot = this.#younger.get(text) ?? this.#elder.get(text);
    return snapshot !== undefined && snapshot.seenAtMs >= sinceMs ? snapshot : undefined;
  }

  /**
   * The monotonic time before which a snapshot is too old.
   *
   * @param nowMs the monotonic time, where it was just read
   */
  oldestMs(nowMs = this.#monotonicMs()): number {
    return nowMs - this.#bounds.maxAgeMs;
  }

  /** Keeps a snapshot unless a later one is known: readings and commits may overtake each other. */
  set(text: string, snapshot: Snapshot): void {
    const known = this.#younger.get(text) ?? this.#elder.get(text);
    if (known !== undefined && known.latestAtMs > snapshot.latestAtMs) return;
    if (this.#younger.size >= this.#bounds.maxRecords / 2) this.#turn();
    this.#younger.set(text, snapshot);
  }

  /** Drops what is too old to be of use. */
  tidy(): void {
    if (this.#turnedAtMs < this.oldestMs()) this.#turn();
  }

  delete(text: string): void {
    this.#younger.delete(text);
    this.#elder.delete(text);
  }

  #turn(): void {
    this.#elder = this.#younger;
    this.#younger = new Map();
    this.#turnedAtMs = this.#monotonicMs();
  }
}
