import type { AllowListOptions } from '../limits/index.ts';

/**
 * A scenario is data: what to look at, by whom to count it, when it is too much, and what to do then. The built-in ones are
 * written in exactly the form that users write in their configuration.
 */
export interface Scenario extends Sign {
  /** Lower-case words joined by `-`, at most 48 characters. Part of records, events and counts. */
  readonly name: string;
  /** Further signs of the same abuse; any of them suffices. At most 3. */
  readonly or?: readonly Sign[] | undefined;
  /** Default: degrade, then block. */
  readonly response?: ScenarioResponse | undefined;
  /** Decides and tells, but never enforces. Default false. */
  readonly shadow?: boolean | undefined;
  /** Who is not judged by this scenario, besides those whom no scenario judges. */
  readonly allow?: AllowListOptions | undefined;
}

/** One way to notice an abuse. It needs a bucket, a `distinct` with `atLeast`, or both; all that is named must hold. */
export interface Sign {
  /** Which events count. Default: all. */
  readonly filter?: EventFilter | undefined;
  /** By whom they are counted. An event that does not show this is not counted. */
  readonly key: SignKey;
  /** Whether each route is counted on its own. Routes share 16 counters per key, so that their number is bounded. Default false. */
  readonly perRoute?: boolean | undefined;
  /** At most 3. */
  readonly distinct?: readonly DistinctCondition[] | undefined;
  readonly bucket?: LeakyBucket | undefined;
  /** Events under the same key that make a clean slate: what is counted then has to come in a row. */
  readonly clearedBy?: EventFilter | undefined;
}

/**
 * `client` is whom limits know: the user, or network and agent. `network` is an IPv4 address or IPv6 /64, `range` an IPv4
 * /16 or IPv6 /32. `headers` is the set and order of header names, `fingerprint` the same with the agent's family.
 */
export type SignKey = 'client' | 'user' | 'network' | 'range' | 'headers' | 'fingerprint';

/** What can be told apart: `target` is the path with its query, `id` the route and what looks like an id in the path. */
export type DistinctValue =
  | 'path'
  | 'target'
  | 'route'
  | 'id'
  | 'client'
  | 'user'
  | 'network'
  | 'range'
  | 'agent'
  | 'fingerprint';

/** How many different values a key shows within a window. Exact, and bounded by the number that decides. */
export interface DistinctCondition {
  readonly of: DistinctValue;
  /** 1 s to 1 h. */
  readonly windowMs: number;
  /** Holds from this many on, 2 to 500. Either this or `atMost`. */
  readonly atLeast?: number | undefined;
  /** Holds up to this many, 1 to 50: the same again and again. */
  readonly atMost?: number | undefined;
  /** Holds when at least this share of the window's events showed a value that was new, 0 to 1. Default 0. */
  readonly share?: number | undefined;
}

/** Holds when an event comes that the bucket has no room for. */
export interface LeakyBucket {
  /** Events it holds, 1 to 100,000. */
  readonly capacity: number;
  /** Events that leak out per minute, 0.1 to 100,000. */
  readonly leakPerMinute: number;
}

/** All that is named must hold. */
export interface EventFilter {
  readonly methods?: readonly string[] | undefined;
  /** Patterns as routes have them: `/read/:id` matches one segment at `:id`, a last `*` whatever follows. One must match. */
  readonly paths?: readonly string[] | undefined;
  /** None of these may match. */
  readonly notPaths?: readonly string[] | undefined;
  /** `404`, or `4xx` for a class. */
  readonly status?: readonly string[] | undefined;
  readonly signedIn?: boolean | undefined;
  /** Names of headers that must be there, and that must not. */
  readonly headers?:
    | { readonly with?: readonly string[] | undefined; readonly without?: readonly string[] | undefined }
    | undefined;
  /** One of these must be among the query's parameters. */
  readonly query?: readonly QueryFilter[] | undefined;
  /** Whether files that pages are made of (`.js`, `.css`, `.png`, …) count: true for only those, false for all others. */
  readonly assets?: boolean | undefined;
  /** Whether something in the path looks like an id. */
  readonly id?: boolean | undefined;
}

export interface QueryFilter {
  /** Any of these parameters, without regard to case; also as a list, `page[]`. */
  readonly names: readonly string[];
  /** Its value must be a number of at least this, or begin with one, unless there is a `below`. */
  readonly from?: number | undefined;
  /** Its value must be a number below this. */
  readonly below?: number | undefined;
}

/** What is done when a scenario's condition holds. At least one of both. */
export interface ScenarioResponse {
  /** First, and quietly. `false` for none. Default: 10 min, a quarter of the refill, a delay of up to 2 s. */
  readonly degrade?: false | DegradeResponse | undefined;
  /** When it goes on while degraded, or at once where nothing is degraded. `false` for none. Default: from level 3 on. */
  readonly block?: false | BlockResponse | undefined;
}

export interface DegradeResponse {
  /** Default 600,000 (10 min); 1 s to 24 h. */
  readonly forMs?: number | undefined;
  /** Of the refill rate, 0.1 to 1. Default 0.25. */
  readonly refillScale?: number | undefined;
  /** A call is delayed by up to this, 0 to 2000. Default 2000. */
  readonly delayMs?: number | undefined;
}

export interface BlockResponse {
  /** The level of the ladder that a first block has, 1 to 4. Default 3: 5 min. */
  readonly fromLevel?: number | undefined;
}
