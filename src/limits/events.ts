import type { Fault, FaultCode } from '../core/fault.ts';
import type { SkippedBy } from './allow-list.ts';
import type { LimitRule } from './take.ts';

/** What a limiter says about itself, for logs and metrics. Carries no identifier. */
export type LimitEvent =
  | {
      readonly type: 'refused';
      readonly rule: LimitRule;
      /** Who was refused: a signed-in user, or a network and agent. */
      readonly caller: 'user' | 'anonymous';
      /** As in the table of routes. */
      readonly route: string;
      readonly cost: number;
      readonly retryAfterMs: number;
      /** True when the rule runs in shadow: the call went on. */
      readonly shadow: boolean;
    }
  | { readonly type: 'skipped'; readonly by: SkippedBy; readonly route: string }
  | {
      readonly type: 'store-failed';
      readonly code: FaultCode;
      /** Whether the store is left alone for a while. */
      readonly paused: boolean;
      readonly cause: Fault;
    }
  | {
      /** Nothing has failed for ten seconds: what this process has counted alone is forgotten. */
      readonly type: 'store-recovered';
    }
  | {
      /** A stored record could not be read. The call has thrown `RECORD_CORRUPT`. */
      readonly type: 'record-corrupt';
      /** How many records were set aside; the next call finds none in their place. */
      readonly setAside: number;
    };

/** What it throws, at once or by a promise, changes no verdict: it is a warning of the process, at most one a minute. */
export type LimitListener = (event: LimitEvent) => void;

/** How many calls ended how, since the limiter was made. */
export interface LimitCounts {
  readonly allowed: number;
  readonly refused: Readonly<Record<LimitRule, number>>;
  /** Would have been refused by a rule in shadow. */
  readonly shadowed: Readonly<Record<LimitRule, number>>;
  readonly skipped: Readonly<Record<SkippedBy, number>>;
  readonly storeFailures: number;
}
