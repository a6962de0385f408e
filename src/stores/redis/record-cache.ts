import type { Key } from '../../core/records.ts';
import { Snapshot } from './envelope.ts';

/** How much a cache may hold, and for how long. */
export interface CacheBounds {
  readonly maxRecords: number;
  readonly maxAgeMs: number;
}

/** The place of a record: one for each text, whatever keys there are of it. They remember it (`Key.mark`). */
interface Slot {
  /** The younger one that it is part of; null once it was forgotten: then what a key remembers is of no use. */
  generation: Generation | null;
  snapshot: Snapshot;
  /** Whether this process has written the record since it was first seen here. */
  isWritten: boolean;
  /** What the record was before this process wrote it last, if that can be written over; nobody else has it. */
  spare: Snapshot | null;
}

type Generation = Map<string, Slot>;

/**
 * What was seen lately. Two generations: when the younger one is full or old the elder is dropped whole, so that
 * neither a flood of keys nor time makes it grow, and nothing is ever searched for something to drop.
 *
 * Who has a key asks by it: to look for the same text again and again costs more than most of what is done with a record.
 */
export class RecordCache {
  readonly #bounds: CacheBounds;
  readonly #monotonicMs: () => number;
  #younger: Generation = new Map();
  #elder: Generation = new Map();
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
    return seenSince(this.#find(text), sinceMs);
  }

  /** The same by a key, of its present text. */
  getBy(key: Key, sinceMs: number): Snapshot | undefined {
    return seenSince(this.#findBy(key), sinceMs);
  }

  /**
   * What the next snapshot of the record may be made of. A record that is written again and again grows old with its
   * snapshot; one that was new each time would be copied by each collection of garbage, and kept by some until old memory
   * is collected.
   */
  spareOf(key: Key): Snapshot | null {
    return this.#findBy(key)?.spare ?? null;
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
    this.#keep(text, this.#find(text), snapshot);
  }

  /** The same by a key, of its present text. */
  setBy(key: Key, snapshot: Snapshot): void {
    key.mark = this.#keep(key.text, this.#findBy(key), snapshot);
  }

  /**
   * Keeps what was written under a key, where it is likely to be asked for: somebody waits for it, or it was written before.
   * Most are written once and not again for long. Of those nothing is kept but when that was, so that no reading from before
   * it counts; the records themselves would outlive two collections of garbage here, which costs more than to read some anew.
   *
   * @param passed is kept instead: nothing that can be used, as late as the snapshot
   */
  setWritten(key: Key, snapshot: Snapshot, passed: Snapshot, isAwaited: boolean): void {
    const known = this.#findBy(key);
    const isKept = isAwaited || known?.isWritten === true;
    const before = known?.snapshot;
    const slot = this.#keep(key.text, known, isKept ? snapshot : passed);
    slot.spare = slot.snapshot === snapshot && before?.isReusable ? before : null;
    slot.isWritten = true;
    key.mark = slot;
  }

  /**
   * Drops what is too old to be of use.
   *
   * @param nowMs the monotonic time, where it was just read
   */
  tidy(nowMs = this.#monotonicMs()): void {
    if (this.#turnedAtMs < this.oldestMs(nowMs)) this.#turn();
  }

  delete(text: string): void {
    const slot = this.#find(text);
    if (slot === undefined) return;
    release(slot);
    this.#younger.delete(text);
    this.#elder.delete(text);
  }

  #find(text: string): Slot | undefined {
    return this.#younger.get(text) ?? this.#elder.get(text);
  }

  #findBy(key: Key): Slot | undefined {
    const mark = key.mark as Partial<Slot> | undefined;
    const generation = mark?.generation;
    if (generation === this.#younger || generation === this.#elder) return mark as Slot;
    const found = this.#find(key.text);
    if (found !== undefined) key.mark = found;
    return found;
  }

  #keep(text: string, known: Slot | undefined, snapshot: Snapshot): Slot {
    if (known !== undefined && known.snapshot.latestAtMs > snapshot.latestAtMs) return known;
    if (known?.generation === this.#younger) {
      known.snapshot = snapshot;
      return known;
    }
    if (this.#younger.size >= this.#bounds.maxRecords / 2) this.#turn();
    const slot = known ?? { generation: null, snapshot, isWritten: false, spare: null };
    slot.generation = this.#younger;
    slot.snapshot = snapshot;
    this.#younger.set(text, slot);
    return slot;
  }

  #turn(): void {
    const dropped = this.#elder;
    this.#elder = this.#younger;
    this.#younger = new Map();
    this.#turnedAtMs = this.#monotonicMs();
    for (const slot of dropped.values()) if (slot.generation === dropped) release(slot);
  }
}

const nothing = Snapshot.absent(Number.NEGATIVE_INFINITY);

/** A key may remember the slot for long; what it held must not stay with it. */
function release(slot: Slot): void {
  slot.generation = null;
  slot.snapshot = nothing;
  slot.isWritten = false;
  slot.spare = null;
}

function seenSince(slot: Slot | undefined, sinceMs: number): Snapshot | undefined {
  return slot !== undefined && slot.snapshot.seenAtMs >= sinceMs ? slot.snapshot : undefined;
}
