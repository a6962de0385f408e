import type { Quota } from '../core/bucket.ts';
import type { ClientRecord } from '../core/client-state.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import type { Key } from '../core/records.ts';
import type { SkippedBy } from './allow-list.ts';
import type { Call } from './call.ts';
import type { Client } from './client-finder.ts';
import type { CompiledRoute } from './route-table.ts';
import type { LimitMode } from './store-fallback.ts';
import type { LimitRule } from './take.ts';

/** What a limiter decides on a call. A refusal is a value. */
export interface Verdict {
  readonly allowed: boolean;
  /** Why it is refused; null when it is allowed. */
  readonly rule: LimitRule | null;
  /** After this time the same call would be allowed; 0 when it is. */
  readonly retryAfterMs: number;
  readonly caller: 'user' | 'anonymous';
  /** As in the table of routes: `PUT /create`, or `other`. */
  readonly route: string;
  readonly signIn: boolean;
  readonly cost: number;
  /** What may be told to the client; null when it is not limited, or only in shadow. */
  readonly quota: QuotaState | null;
  /** What let it pass without being limited. */
  readonly skipped: SkippedBy | null;
  /** What a rule in shadow would have done. */
  readonly shadow: { readonly rule: LimitRule; readonly retryAfterMs: number } | null;
  readonly mode: LimitMode;
  /** For `settle`; null when the store has charged nothing. */
  readonly ticket: Ticket | null;
}

/** How a client's bucket stands. */
export interface QuotaState {
  /** The limiter's name. */
  readonly policy: string;
  /** Units of cost that a full bucket holds. */
  readonly capacity: number;
  /** Seconds in which it fills up. */
  readonly windowSeconds: number;
  /** The same three as the `RateLimit-Policy` field has them. */
  readonly policyField: string;
  readonly remaining: number;
  /** Until one more unit is there; 0 when the bucket is full. */
  readonly moreInMs: number;
  /** The same as a time of the store, in ms. */
  readonly moreAt: number;
}

/** A charge that can be settled. */
export interface Ticket {
  readonly key: Key<ClientRecord>;
  readonly quota: Quota;
  /** Thousandths of a unit the call has cost so far. */
  takenMilli: number;
}

/** @throws Fault `INPUT_INVALID` when it is none. */
export function checkedVerdict(verdict: Verdict): Verdict {
  if (typeof verdict === 'object' && verdict !== null && 'ticket' in verdict) return verdict;
  throw new Fault('INPUT_INVALID', `verdict must be what take gave, got ${shapeOf(verdict)}`);
}

/** Which of the limits a client falls under. */
export const callerOf = ({ user }: Client): Verdict['caller'] => (user ? 'user' : 'anonymous');

/** On a call that is not limited at all. */
export function skippedVerdict(call: Call, route: CompiledRoute, skipped: SkippedBy): Verdict {
  return {
    allowed: true,
    rule: null,
    retryAfterMs: 0,
    caller: callerOf(call),
    route: route.name,
    signIn: route.signIn,
    cost: 0,
    quota: null,
    skipped,
    shadow: null,
    mode: 'NORMAL',
    ticket: null,
  };
}
