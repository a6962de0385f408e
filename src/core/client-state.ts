import type { Bucket } from './bucket.ts';
import type { StoredRecord } from './records.ts';
import type { Standing } from './standing.ts';

/**
 * Cost that a limiter was asked for over the last seconds, refused calls included. Calls within a tenth of a second of an
 * entry's first one share it, so that a flood cannot make the record grow; within a second while all that is asked for is
 * little, so that the many who are no flood keep small records. Shared entries are forgotten up to that much early, never
 * late: nobody is blocked for less than the rule says. Costs are in thousandths.
 *
 * The entry that calls still share stands apart from those before it: these stay one and the same list from call to
 * call, which would otherwise be copied and added up for each of them.
 */
export interface AskedWindow {
  /** `[at, cost, at, cost, …]`, oldest first. */
  asked: readonly number[];
  /** When the latest entry began. */
  askingAt: number;
  /** Its cost; 0 when there is none. */
  asking: number;
  /**
   * All cost, of the latest entry too, and of what is over but was not looked at since. Whole numbers, so that adding
   * and taking off stay exact.
   */
  askedTotal: number;
}

/**
 * What a limiter remembers of one client: a user, or an IP prefix with a user agent. Its bucket is part of it and no object
 * of its own: what a call has to fetch from memory for it costs more than what it does with it.
 */
export interface ClientRecord extends AskedWindow, StoredRecord, Bucket {
  at: number;
  standing: Standing;
  tatMs: number;
  tatUnits: number;
  /** The refill the bucket's time is counted in; it changes with the configuration and under pressure. */
  limit: number;
}
