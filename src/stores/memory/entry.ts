import type { StoredRecord } from '../../core/records.ts';

/** One record in memory, with its place in the structures that decide what is dropped first. */
export interface Entry {
  readonly text: string;
  value: StoredRecord;
  /** From this time on the record counts as absent. */
  expiresAt: number;
  /** Until then a block on it runs; 0 if its last write left none. */
  heldUntil: number;
  /** The estimated memory it takes, in bytes. */
  bytes: number;
  /** How often it was written. */
  writes: number;
  /** The number of the commit that wrote it last. */
  commit: number;
  /** Neighbours in the order of writing. */
  older: Entry | null;
  newer: Entry | null;
  /** Its place in the heap of expiries. */
  expiryIndex: number;
  /** Its place in the heap of parked entries; −1 when it stands in the order of writing. */
  parkedIndex: number;
}
