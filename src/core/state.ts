import type { Bucket } from './bucket.ts';
import type { Budget } from './budget.ts';
import type { StoredRecord } from './records.ts';
import type { Holder } from './standing.ts';
import type { WatchedWindow } from './watch.ts';
import type { Window } from './window.ts';

/** The records of the engine (engine contract §3), as they are stored. Times are null where there was none. */

/** K5: one device of one account, an entry inside the account's record. */
export interface AccountDevice extends Holder {
  id: string;
  /** Times of the last failures, newest last. */
  failures: readonly number[];
}

/** K4. */
export interface AccountRecord extends Holder, StoredRecord {
  at: number;
  /** Last failure with a missing device. */
  missingAt: number | null;
  /** K5 entries, oldest first. */
  devices: readonly AccountDevice[];
  /** When the latest K5 entries were made. */
  devicesMadeAt: readonly number[];
  rotation: WatchedWindow;
  /** Times at which rotation fired. */
  rotations: readonly number[];
  flood: WatchedWindow;
  floodUntil: number;
  /** Times of entries into SOFT. */
  softs: readonly number[];
  budget: Budget;
}

/** An entry of the device book. */
export interface BookEntry {
  readonly id: string;
  readonly bound: boolean;
  /** Last success. */
  readonly usedAt: number;
}

/** The account's known devices, oldest first. */
export interface BookRecord extends StoredRecord {
  at: number;
  devices: readonly BookEntry[];
}

/** K1. */
export interface NetworkRecord extends Holder, StoredRecord {
  at: number;
  spray: WatchedWindow;
  /** First sights of devices and agents, for admission. */
  devicesSeenAt: readonly number[];
  agentsSeenAt: readonly number[];
  bucket: Bucket;
}

/** K2. */
export interface AgentRecord extends Holder, StoredRecord {
  at: number;
  churn: WatchedWindow;
  bucket: Bucket;
}

/** K3. */
export interface NetworkDeviceRecord extends Holder, StoredRecord {
  at: number;
  bucket: Bucket;
}

/** D. */
export interface DeviceRecord extends Holder, StoredRecord {
  at: number;
  dilution: WatchedWindow;
  /** First of the two windows that confirm a dilution. */
  dilutedAt: number | null;
}

/** P48, P40, P32. */
export interface PrefixRecord extends Holder, StoredRecord {
  at: number;
  children: Window;
  accounts: Window;
}
