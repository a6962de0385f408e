import { Fault } from '../../core/fault.ts';
import type { Key, Retention, StoredRecord } from '../../core/records.ts';
import { DeadlineHeap } from './deadline-heap.ts';
import type { Entry } from './entry.ts';
import { sizeOf } from './value-size.ts';
import { WriteOrder } from './write-order.ts';

/** How much a table may hold. */
export interface TableBounds {
  readonly maxRecords: number;
  readonly maxBytes: number;
}

/** A record that a step has put and that is to be committed. */
export interface Write {
  readonly key: Key;
  value: StoredRecord;
  retention: Retention;
  /** The entry it replaces; found when it is committed. */
  entry: Entry | undefined;
  /** What it counts against the bound; found when it is committed. */
  bytes: number;
}

/** The memory an entry takes beside its value and the characters of its key, in bytes. */
const entryBytes = 240;
/** From then on a record is measured at every sixteenth write only. */
const measuredWrites = 16;
/** Dropping two for each written keeps ahead of any number of records that expire together. */
const sweptPerWrite = 2;

/**
 * Records by key text, bounded in number and memory. Dropping never scans: expiries stand in a heap, entries in
 * the order of their writing. A blocked entry that comes to be the oldest is parked in a second heap, by the end of
 * its block, and stays there until it is written again or dropped; each write can park an entry only once, so
 * what a flood of new keys costs is O(log n) a key.
 */
export class BoundedTable {
  /** Entries dropped to make room, not by expiry. */
  evicted = 0;
  /** Those of them whose block was still running. */
  evictedBlocks = 0;

  readonly #bounds: TableBounds;
  readonly #entries = new Map<string, Entry>();
  readonly #order = new WriteOrder();
  readonly #expiries = new DeadlineHeap<Entry>((entry, index) => {
    entry.expiryIndex = index;
  });
  readonly #parked = new DeadlineHeap<Entry>((entry, index) => {
    entry.parkedIndex = index;
  });
  /** Entries whose last write left a block, running or since ended. */
  readonly #blocked = new Set<Entry>();
  #bytes = 0;
  #commit = 0;

  constructor(bounds: TableBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The record under this text unless its expiry has come. It is left in place then, so that looking never changes anything. */
  find(text: string, now: number): StoredRecord | undefined {
    const entry = this.#entries.get(text);
    return entry !== undefined && now < entry.expiresAt ? entry.value : undefined;
  }

  /**
   * Writes all of a step's records and makes room for them.
   *
   * @throws Fault `STORE_FULL`, before anything is written, when they alone exceed a bound.
   */
  commit(writes: readonly Write[], now: number, sweep: boolean): void {
    this.#measure(writes);
    this.#commit += 1;
    for (const write of writes) this.#write(write, now);
    if (sweep) this.#sweep(now, sweptPerWrite * writes.length);
    this.#makeRoom(now);
  }

  /** The entries under a prefix whose block is running. */
  held(prefix: string, now: number): Entry[] {
    const held: Entry[] = [];
    for (const entry of this.#blocked) {
      if (entry.heldUntil <= now) this.#blocked.delete(entry);
      else if (now < entry.expiresAt && entry.text.startsWith(prefix)) held.push(entry);
    }
    return held;
  }

  clear(): void {
    this.#entries.clear();
    this.#order.clear();
    this.#expiries.clear();
    this.#parked.clear();
    this.#blocked.clear();
    this.#bytes = 0;
  }

  #measure(writes: readonly Write[]): void {
    let total = 0;
    for (const write of writes) {
      write.entry = this.#entries.get(write.key.text);
      write.bytes = bytesOf(write);
      total += write.bytes;
    }
    if (writes.length <= this.#bounds.maxRecords && total <= this.#bounds.maxBytes) return;
    throw new Fault(
      'STORE_FULL',
      `One step puts ${writes.length} records of ${total} bytes, over the store's bound.`,
    );
  }

  #write({ key, value, retention, entry: known, bytes }: Write, now: number): void {
    const expiresAt = now + retention.keepMs;
    const heldMs = Math.max(retention.softMs, retention.hardMs);
    const entry = known ?? this.#insert(key.text, value, expiresAt);
    if (known !== undefined) this.#renew(known, value, expiresAt);
    this.#order.append(entry);
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
    entry.writes += 1;
    entry.commit = this.#commit;
    if (heldMs > 0) this.#blocked.add(entry);
    else if (entry.heldUntil > 0) this.#blocked.delete(entry);
    entry.heldUntil = heldMs > 0 ? now + heldMs : 0;
  }

  #insert(text: string, value: StoredRecord, expiresAt: number): Entry {
    const entry: Entry = {
      text,
      value,
      expiresAt,
      heldUntil: 0,
      bytes: 0,
      writes: 0,
      commit: 0,
      older: null,
      newer: null,
      expiryIndex: -1,
      parkedIndex: -1,
    };
    this.#entries.set(text, entry);
    this.#expiries.add(entry, expiresAt);
    return entry;
  }

  /**
   * The heap keeps an earlier deadline as it is: it only says when to look at the entry again, and a record that is
   * written often would otherwise pay for a new place every time.
   */
  #renew(entry: Entry, value: StoredRecord, expiresAt: number): void {
    entry.value = value;
    entry.expiresAt = expiresAt;
    if (expiresAt < this.#expiries.deadlineAt(entry.expiryIndex)) {
      this.#expiries.change(entry.expiryIndex, expiresAt);
    }
    if (entry.parkedIndex >= 0) this.#parked.remove(entry.parkedIndex);
    else this.#order.remove(entry);
  }

  /** Looks at no more than `most` entries whose deadline has come. */
  #sweep(now: number, most: number): void {
    for (let left = most; left > 0 && this.#expiries.firstDeadline <= now; left -= 1) this.#sweepFirst(now);
  }

  /**
   * Drops entries until the bounds hold: those past their expiry, then the least recently written without a running
   * block, then the one whose block ends soonest. What the commit itself wrote is never chosen. Among parked entries
   * whose block has ended the one that ended first goes first: all of them are older than any that is not parked.
   */
  #makeRoom(now: number): void {
    while (this.#entries.size > this.#bounds.maxRecords || this.#bytes > this.#bounds.maxBytes) {
      if (this.#expiries.firstDeadline <= now) this.#sweepFirst(now);
      else if (!this.#evictOne(now)) return;
    }
  }

  #sweepFirst(now: number): void {
    const entry = this.#expiries.first;
    if (entry === undefined) return;
    if (entry.expiresAt <= now) this.#drop(entry);
    else this.#expiries.change(entry.expiryIndex, entry.expiresAt);
  }

  #evictOne(now: number): boolean {
    const entry = this.#victim(now);
    if (entry === undefined) return false;
    this.evicted += 1;
    if (entry.heldUntil > now) this.evictedBlocks += 1;
    this.#drop(entry);
    return true;
  }

  #victim(now: number): Entry | undefined {
    if (this.#parked.firstDeadline <= now) return this.#parked.first;
    for (let entry = this.#order.oldest; entry !== null; entry = this.#order.oldest) {
      if (entry.commit === this.#commit) break;
      if (entry.heldUntil <= now) return entry;
      this.#order.remove(entry);
      this.#parked.add(entry, entry.heldUntil);
    }
    return this.#parked.first;
  }

  #drop(entry: Entry): void {
    this.#entries.delete(entry.text);
    this.#expiries.remove(entry.expiryIndex);
    if (entry.parkedIndex >= 0) this.#parked.remove(entry.parkedIndex);
    else this.#order.remove(entry);
    if (entry.heldUntil > 0) this.#blocked.delete(entry);
    this.#bytes -= entry.bytes;
  }
}

/**
 * Measuring costs more than all the rest of a write, and a record grows over many writes if at all. So one that is
 * written often is not measured each time.
 */
function bytesOf({ entry, key, value }: Write): number {
  if (entry !== undefined && entry.writes > measuredWrites && entry.writes % measuredWrites !== 0)
    return entry.bytes;
  return entryBytes + key.text.length + sizeOf(value);
}
