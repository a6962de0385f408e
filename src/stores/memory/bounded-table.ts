import { Fault } from '../../core/fault.ts';
import type { Key, Retention, StoredRecord } from '../../core/records.ts';
import { DeadlineHeap } from './deadline-heap.ts';
import { type Entry, newEntry, type Put } from './entry.ts';
import { sizeOf } from './value-size.ts';

/** How much a table may hold, and what it drops as writes go by. */
export interface TableBounds {
  readonly maxRecords: number;
  readonly maxBytes: number;
  /** Entries that have expired by this time; null: by now. */
  readonly sweptBy: (() => number) | null;
}

/** The memory an entry takes beside its value and the characters of its key, in bytes. */
const entryBytes = 248;

/** At least one in so many writes of a record is measured. */
const measuredEvery = 64;

/** Dropping two for each written keeps ahead of any number of records that expire together. */
const sweptPerWrite = 2;

/**
 * Records by key, bounded in number and memory. Dropping never scans: expiries stand in one heap, entries by the time
 * of their writing in another. Both are looked at again only when their turn comes, so that a write touches nothing but
 * its own entry. A blocked entry that comes to be the oldest is parked in a third heap, by the end of its block, and
 * stays there until it is written again or dropped; each write can park an entry only once, so what a flood of new
 * keys costs is O(log n) a key.
 *
 * A key remembers the entry it found (`Key.mark`), or that there was none: hashing the same text for every look costs
 * more than most rules.
 */
export class BoundedTable {
  /** Entries dropped to make room, not by expiry. */
  evicted = 0;
  /** Those of them whose block was still running. */
  evictedBlocks = 0;
  readonly #bounds: TableBounds;
  readonly #entries = new Map<string, Entry>();
  readonly #order = new DeadlineHeap<Entry>((entry, index) => {
    entry.orderIndex = index;
  });
  readonly #expiries = new DeadlineHeap<Entry>((entry, index) => {
    entry.expiryIndex = index;
  });
  readonly #parked = new DeadlineHeap<Entry>((entry, index) => {
    entry.parkedIndex = index;
  });
  /** Entries whose last write left a block, running or since ended. */
  readonly #blocked = new Set<Entry>();
  #bytes = 0;
  #written = 0;
  /**
   * The mark of a key without an entry. Another one with every new entry, which makes all such marks stale. An entry
   * itself, in no table: marks of one shape are told apart the fastest.
   */
  #absence = newEntry('');

  constructor(bounds: TableBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** How many records were written so far. */
  get written(): number {
    return this.#written;
  }

  /** The entry of this key, also one whose expiry has come: looking never changes anything. */
  find(key: Key): Entry | undefined {
    const mark = key.mark as Entry | undefined;
    if (mark !== undefined) {
      if (mark.table === this) return mark;
      if (mark === this.#absence) return undefined;
    }
    const entry = this.#entries.get(key.text);
    key.mark = entry ?? this.#absence;
    return entry;
  }

  /** The same by text, for a name that a key has no mark for. */
  findText(text: string): Entry | undefined {
    return this.#entries.get(text);
  }

  /**
   * Writes a record that was changed where it stands, at once: nothing of it waits for the end of its step, and nearly all
   * such writes only put off its expiry. False where there is more to a write than that.
   */
  keep(entry: Entry, value: StoredRecord, { keepMs, softMs, hardMs }: Retention, now: number): boolean {
    if (entry.value !== value || softMs > 0 || hardMs > 0 || !this.canPutOff(entry, keepMs, now))
      return false;
    this.putOff(entry, keepMs, now);
    return true;
  }

  /** Whether a record that was changed where it stands, and has no block, needs no more than that its expiry is put off. */
  canPutOff(entry: Entry, keepMs: number, now: number): boolean {
    if (now + keepMs < entry.expiresAt || entry.heldUntil !== null) return false;
    return !isMeasured(entry) && !this.#isSweepDue(now);
  }

  putOff(entry: Entry, keepMs: number, now: number): void {
    this.#written += 1;
    entry.written = this.#written;
    entry.writes += 1;
    entry.expiresAt = now + keepMs;
  }

  /**
   * Writes what a step has put, a chain from this one on, and makes room for it.
   *
   * @param before {@link written} when the step began
   * @throws Fault `STORE_FULL` when it alone exceeds a bound. Nothing is put then; what the step changed in place stays so.
   */
  commit(first: Put, now: number, before = this.#written): void {
    this.#measure(first);
    const writtenBefore = this.#written;
    for (let put: Put | null = first; put !== null; put = put.next) this.#write(put, now);
    this.#sweep(now, sweptPerWrite * (this.#written - writtenBefore));
    if (this.#entries.size > this.#bounds.maxRecords || this.#bytes > this.#bounds.maxBytes) {
      this.#makeRoom(now, before, writtenBefore);
    }
  }

  /** The entries under a prefix whose block is running. Forgets none whose block has ended: clocks may run backwards. */
  held(prefix: string, now: number): Entry[] {
    const held: Entry[] = [];
    for (const entry of this.#blocked) {
      const isRunning = isHeld(entry, now) && now < entry.expiresAt;
      if (isRunning && entry.text.startsWith(prefix)) held.push(entry);
    }
    return held;
  }

  clear(): void {
    for (const entry of this.#entries.values()) release(entry);
    this.#entries.clear();
    this.#order.clear();
    this.#expiries.clear();
    this.#parked.clear();
    this.#blocked.clear();
    this.#bytes = 0;
    this.#absence = newEntry('');
  }

  #measure(first: Put): void {
    let total = 0;
    let count = 0;
    for (let put: Put | null = first; put !== null; put = put.next) {
      put.bytes = bytesOf(put.entry, put.value);
      total += put.bytes;
      count += 1;
    }
    if (count <= this.#bounds.maxRecords && total <= this.#bounds.maxBytes) return;
    throw new Fault(
      'STORE_FULL',
      `One step puts ${count} records of ${total} bytes, over the store's bound.`,
    );
  }

  #write({ entry, value, retention, bytes }: Put, now: number): void {
    const { keepMs, softMs, hardMs } = retention;
    const heldMs = Math.max(softMs, hardMs);
    const endedAt = entry.expiresAt;
    entry.value = value;
    entry.expiresAt = now + keepMs;
    this.#written += 1;
    entry.written = this.#written;
    entry.writes += 1;
    if (entry.table === null) this.#insert(entry);
    else this.#renew(entry, endedAt);
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
    if (heldMs > 0) this.#blocked.add(entry);
    else if (entry.heldUntil !== null) this.#blocked.delete(entry);
    entry.heldUntil = heldMs > 0 ? now + heldMs : null;
  }

  #insert(entry: Entry): void {
    entry.table = this;
    this.#absence = newEntry('');
    this.#entries.set(entry.text, entry);
    this.#expiries.add(entry, entry.expiresAt);
    this.#order.add(entry, entry.written);
  }

  /**
   * Both heaps keep an earlier deadline as it is: it only says when to look at the entry again, and a record that is
   * written often would otherwise pay for a new place every time. So none is later than the expiry itself.
   *
   * @param endedAt when it would have expired without this write
   */
  #renew(entry: Entry, endedAt: number): void {
    if (entry.expiresAt < endedAt) this.#expiries.change(entry.expiryIndex, entry.expiresAt);
    if (entry.parkedIndex < 0) return;
    this.#parked.remove(entry.parkedIndex);
    this.#order.add(entry, entry.written);
  }

  /** Looks at no more than `most` entries whose deadline has come. */
  #sweep(now: number, most: number): void {
    const then = this.#sweptBy(now);
    for (let left = most; left > 0 && this.#expiries.firstDeadline <= then; left -= 1) this.#sweepFirst(then);
  }

  #isSweepDue(now: number): boolean {
    return this.#expiries.firstDeadline <= this.#sweptBy(now);
  }

  #sweptBy(now: number): number {
    const { sweptBy } = this.#bounds;
    return sweptBy === null ? now : sweptBy();
  }

  /**
   * Drops entries until the bounds hold: those past their expiry, then the least recently written without a running
   * block, then the one whose block ends soonest. What the step has changed where it stood, after `before`, is chosen last,
   * and what the commit itself has written, after `writtenBefore`, never.
   * Among parked entries whose block has ended the one that ended first goes first: all of them are older than any
   * that is not parked.
   */
  #makeRoom(now: number, before: number, writtenBefore: number): void {
    while (this.#entries.size > this.#bounds.maxRecords || this.#bytes > this.#bounds.maxBytes) {
      if (this.#expiries.firstDeadline <= now) this.#sweepFirst(now);
      else if (!this.#evictOne(now, before) && !this.#evictOne(now, writtenBefore)) return;
    }
  }

  /** Drops the first entry if it has expired by then, else gives it its turn. */
  #sweepFirst(then: number): void {
    const entry = this.#expiries.first;
    if (entry === undefined) return;
    if (entry.expiresAt <= then) this.#drop(entry);
    else this.#expiries.change(entry.expiryIndex, entry.expiresAt);
  }

  #evictOne(now: number, before: number): boolean {
    const entry = this.#victim(now, before);
    if (entry === undefined) return false;
    this.evicted += 1;
    if (isHeld(entry, now)) this.evictedBlocks += 1;
    this.#drop(entry);
    return true;
  }

  #victim(now: number, before: number): Entry | undefined {
    if (this.#parked.firstDeadline <= now) return this.#parked.first;
    for (let entry = this.#oldest(); entry !== undefined; entry = this.#oldest()) {
      if (entry.written > before) break;
      if (entry.heldUntil === null || entry.heldUntil <= now) return entry;
      this.#order.remove(entry.orderIndex);
      this.#parked.add(entry, entry.heldUntil);
    }
    return this.#parked.first;
  }

  /** The least recently written of those that are not parked. */
  #oldest(): Entry | undefined {
    for (;;) {
      const entry = this.#order.first;
      if (entry === undefined || entry.written === this.#order.firstDeadline) return entry;
      this.#order.change(entry.orderIndex, entry.written);
    }
  }

  #drop(entry: Entry): void {
    this.#entries.delete(entry.text);
    this.#expiries.remove(entry.expiryIndex);
    if (entry.parkedIndex >= 0) this.#parked.remove(entry.parkedIndex);
    else this.#order.remove(entry.orderIndex);
    if (entry.heldUntil !== null) this.#blocked.delete(entry);
    this.#bytes -= entry.bytes;
    release(entry);
  }
}

/** Whether a block on it is running. */
const isHeld = ({ heldUntil }: Entry, now: number): boolean => heldUntil !== null && now < heldUntil;

/** A key may remember the entry for long; what it held must not stay with it. */
function release(entry: Entry): void {
  entry.table = null;
  entry.value = undefined;
}

/** The record of an entry unless its expiry has come. */
export function valueAt(entry: Entry | undefined, now: number): StoredRecord | undefined {
  return entry !== undefined && now < entry.expiresAt ? entry.value : undefined;
}

/**
 * Whether the next write of it is measured. That costs more than all the rest of a write, and a record grows in its first
 * writes if at all. So it is measured at the first three, and then whenever it was written twice as often.
 */
function isMeasured({ writes }: Entry): boolean {
  return (writes & (writes - 1)) === 0 || writes % measuredEvery === 0;
}

function bytesOf(entry: Entry, value: StoredRecord): number {
  return isMeasured(entry) ? entryBytes + entry.text.length + sizeOf(value) : entry.bytes;
}
