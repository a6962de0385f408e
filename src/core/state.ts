import type { Bucket } from './bucket.ts';
import type { Budget } from './budget.ts';
import type { StoredRecord } from './records.ts';
import type { Holder } from './standing.ts';
import type { WatchedWindow } from './watch.ts';
import type { Window } from './window.ts';

/** The records of the engine (engine contract §3), as they are stored. Times are null where there was none. */

/** K5: one device of one account, an entry inside the account's record. */
export interface AccountDevice extends Holder {
  readonly id: string;
  /** Times of the last failures, newest last. */
  readonly failures: readonly number[];
}

/** K4. */
export interface AccountRecord extends Holder, StoredRecord {
  readonly at: number;
  /** Last failure with a missing device. */
  readonly missingAt: number | null;
  /** K5 entries, oldest first. */
  readonly devices: readonly AccountDevice[];
  /** When the latest K5 entries were made. */
  readonly devicesMadeAt: readonly number[];
  readonly rotation: WatchedWindow;
  /** Times at which rotation fired. */
  readonly rotations: readonly number[];
  readonly flood: WatchedWindow;
  readonly floodUntil: number;
  /** Times of entries into SOFT. */
  readonly softs: readonly number[];
  readonly budget: Budget;
}

/** An entry of the device book. */
export interface BookEntry {
  readonly id: string;
  /** Its id under the previous secret, if a success of a key rotation wrote the entry: other policies may know it by that only. */
  readonly was?: string;
  readonly bound: boolean;
  /** Last success. */
  readonly usedAt: number;
}

/** The account's known devices, oldest first. */
export interface BookRecord extends StoredRecord {
  readonly at: number;
  readonly devices: readonly BookEntry[];
}

/** K1. */
export interface NetworkRecord extends Holder, StoredRecord {
  readonly at: number;
  readonly spray: WatchedWindow;
  /** First sights of devices and agents, for admission. */
  readonly devicesSeenAt: readonly number[];
  readonly agentsSeenAt: readonly number[];
  readonly bucket: Bucket;
}

/** K2. */
export interface AgentRecord extends Holder, StoredRecord {
  readonly at: number;
  readonly churn: WatchedWindow;
  readonly bucket: Bucket;
}

/** K3. */
export interface NetworkDeviceRecord extends Holder, StoredRecord {
  readonly at: number;
  readonly bucket: Bucket;
}

/** D. */
export interface DeviceRecord extends Holder, StoredRecord {
  readonly at: number;
  readonly dilution: WatchedWindow;
  /** First of the two windows that confirm a dilution. */
  readonly dilutedAt: number | null;
}

/** P48, P40, P32. */
export interface PrefixRecord extends Holder, StoredRecord {
  readonly at: number;
  readonly children: Window;
  readonly accounts: Window;
}
