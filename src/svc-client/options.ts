import type { BackoffPolicy } from './backoff.ts';
import type { Clock } from './clock.ts';
import type { DenialReason } from './denial.ts';
import type { GlobalBreakerPolicy } from './global-breaker.ts';
import type { KeyRing, PassportKey } from './key-ring.ts';
import type { SpikePolicy } from './latency-history.ts';
import type { PoolPolicy } from './pool.ts';
import type { TargetBreakerPolicy } from './target-breaker.ts';
import type { TargetRetryPolicy } from './target-retry-budget.ts';
import type { Transport } from './transport.ts';

/** Waiting for a free place in the pool instead of being rejected at once. */
export interface QueuePolicy {
  /** Calls that may wait at the same time. */
  readonly limit: number;
  /** Longest wait, in milliseconds. */
  readonly deadlineMs: number;
}

/** One service that may be called. */
export interface TargetOptions {
  /** Base URL, or several of the same service: attempts go round. `http:` or `https:`; a path is a prefix. */
  readonly url: string | readonly string[];
  /** Default 100 calls per second, 200 at once. */
  readonly pool?: Partial<PoolPolicy>;
  /** Default none: over the rate is rejected at once. */
  readonly queue?: QueuePolicy;
  /** Until a response starts, per attempt, in milliseconds. Default 2 000. */
  readonly timeoutMs?: number;
  /** Connections per URL. Default 64. */
  readonly connections?: number;
  /**
   * How long a response body may stand still because its reader takes nothing of what is there, in milliseconds. After that, or up
   * to twice as long, its connection is given up. Default 10 000.
   */
  readonly stallMs?: number;
  readonly backoff?: Partial<BackoffPolicy>;
  readonly retryBudget?: Partial<TargetRetryPolicy>;
  readonly breaker?: Partial<TargetBreakerPolicy>;
  /** False for services that do not belong to the estate: they get no passport. Default true. */
  readonly passport?: boolean;
}

/** When the global breaker opens and how it closes. */
export interface GlobalBreakerOptions extends Partial<GlobalBreakerPolicy>, Partial<SpikePolicy> {
  /** How long a reported saturation holds unless it is reported again, in milliseconds. Default 10 000. */
  readonly saturationMs?: number;
  /** A partition needs at least this many targets in use. Default 3. */
  readonly partitionTargets?: number;
  /** Part of the targets in use that has to fail at once, exceeded; two of them at least. Default 0.5. */
  readonly partitionShare?: number;
}

export interface CheckpointOptions {
  /** The slugKey of this service. */
  readonly self: string;
  /** One or two; the first signs, both verify. Shared by all services that call each other. */
  readonly keys: readonly PassportKey[];
  /** Retries of one request over its whole call tree. Default 3. */
  readonly retries?: number;
  /** Time of a request that came without any, in milliseconds. Default 10 000. */
  readonly deadlineMs?: number;
  /** Rules that decide and tell but do not enforce. Default none. */
  readonly shadow?: readonly DenialReason[];
}

export interface SvcClientOptions extends CheckpointOptions {
  /** By slugKey. */
  readonly targets: Readonly<Record<string, TargetOptions>>;
  /** Over all targets. Default 1 000 calls per second, 2 000 at once. */
  readonly globalPool?: Partial<PoolPolicy>;
  readonly globalBreaker?: GlobalBreakerOptions;
}

/** What a client takes from its surroundings; given in tests and simulations. */
export interface SvcRuntime {
  /** Default: the monotonic clock of the process. */
  readonly clock?: Clock;
  /** Numbers in [0, 1) for jitter. Default `Math.random`. */
  readonly random?: () => number;
  /** Default: undici. */
  readonly transport?: Transport;
}

/** Checked, complete and frozen. */
export interface TargetSettings {
  readonly slugKey: string;
  readonly urls: readonly BaseUrl[];
  readonly pool: PoolPolicy;
  readonly queue: QueuePolicy | null;
  readonly timeoutMs: number;
  readonly connections: number;
  readonly stallMs: number;
  readonly backoff: BackoffPolicy;
  readonly retryBudget: TargetRetryPolicy;
  readonly breaker: TargetBreakerPolicy;
  readonly passport: boolean;
}

export interface BaseUrl {
  readonly origin: string;
  /** Without a slash at its end; empty for none. */
  readonly prefix: string;
}

export interface GlobalBreakerSettings {
  readonly policy: GlobalBreakerPolicy;
  readonly spike: SpikePolicy;
  readonly saturationMs: number;
  readonly partitionTargets: number;
  readonly partitionShare: number;
}

export interface CheckpointSettings {
  readonly self: string;
  readonly keys: KeyRing;
  readonly retries: number;
  readonly deadlineMs: number;
  readonly shadow: ReadonlySet<DenialReason>;
}

export interface Settings extends CheckpointSettings {
  readonly targets: ReadonlyMap<string, TargetSettings>;
  readonly globalPool: PoolPolicy;
  readonly globalBreaker: GlobalBreakerSettings;
}
