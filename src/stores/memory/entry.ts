import type { Retention, StoredRecord } from '../../core/records.ts';

/** One record in memory, with its place in the structures that decide what is dropped first. */
export interface Entry {
  readonly text: string;
  /** The table it stands in; null before its first commit and after it was dropped. */
  table: object | null;
  value: StoredRecord | undefined;
  /** From this time on the record counts as absent. */
  expiresAt: number;
  /** Until then a block on it runs; null if its last write left none. */
  heldUntil: number | null;
  /** The estimated memory it takes, in bytes. */
  bytes: number;
  /** How often it was written. */
  writes: number;
  /** The table's count of writes at the last one. */
  written: number;
  /** Its place in the heap of expiries. */
  expiryIndex: number;
  /** Its place in the order of writing; −1 while it is parked. */
  orderIndex: number;
  /** Its place in the heap of parked entries; −1 while it stands in the order of writing. */
  parkedIndex: number;
}

/** What every write touches comes first: it takes as few lines of a cache as can be. */
export function newEntry(text: string): Entry {
  return {
    table: null,
    value: undefined,
    expiresAt: 0,
    heldUntil: null,
    bytes: 0,
    writes: 0,
    written: 0,
    parkedIndex: -1,
    text,
    expiryIndex: -1,
    orderIndex: -1,
  };
}

/** What a running step has put into an entry. */
export interface Put {
  readonly entry: Entry;
  value: StoredRecord;
  retention: Retention;
  /** What is to be counted for it once the step commits. */
  bytes: number;
  /** What the same step put next. */
  next: Put | null;
}
