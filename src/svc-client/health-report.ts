import type { DenialCounts } from './events.ts';
import type { GlobalBreaker, GlobalCause } from './global-breaker.ts';
import type { RecentLoop, SvcHealth, TargetHealth } from './health.ts';
import type { TargetBreaker } from './target-breaker.ts';

/** How many targets one report holds at most. */
export const MOST_REPORTED_TARGETS = 100;

/** A target as it is reported. Counts run from the start of the client. */
export interface ReportedTarget {
  /** Its slugKey. */
  readonly target: string;
  readonly breaker: TargetBreaker['state'];
  /** Until the next probe may go, in milliseconds; 0 unless the breaker is open. */
  readonly probeInMs: number;
  /** For how long a pinned limit still holds, in milliseconds; 0 where none is. */
  readonly pinnedForMs: number;
  readonly calls: number;
  readonly attempts: number;
  readonly retries: number;
  readonly failures: number;
  readonly denied: DenialCounts;
}

/** What one client tells a service of its targets. */
export interface HealthReport {
  /** Who reports. */
  readonly name: string;
  /** When the next report is due, in milliseconds. */
  readonly everyMs: number;
  readonly globalBreaker: GlobalBreaker['state'];
  /** Why it is not closed; null where it is. */
  readonly globalCause?: GlobalCause | null | undefined;
  readonly loops: number;
  /** The last of them, the newest at the end. */
  readonly recentLoops?: readonly RecentLoop[] | undefined;
  readonly droppedPassports: number;
  readonly targets: readonly ReportedTarget[];
  /** Targets that are not in it, because there are too many. */
  readonly leftOut: number;
}

/** The report of a client's health. Where there are too many targets, those in trouble come first. */
export function healthReport(name: string, everyMs: number, health: SvcHealth): HealthReport {
  const { globalBreaker, loops, recentLoops, droppedPassports, targets } = health;
  const reported =
    targets.length <= MOST_REPORTED_TARGETS
      ? targets
      : [...targets].sort(byTrouble).slice(0, MOST_REPORTED_TARGETS);
  return {
    name,
    everyMs,
    globalBreaker: globalBreaker.state,
    globalCause: globalBreaker.state === 'closed' ? null : globalBreaker.cause,
    loops,
    recentLoops: recentLoops.map(({ agoMs, ...loop }) => ({ ...loop, agoMs: Math.ceil(agoMs) })),
    droppedPassports,
    targets: reported.map(reportedTarget),
    leftOut: targets.length - reported.length,
  };
}

const byTrouble = (a: TargetHealth, b: TargetHealth): number => troubleOf(b) - troubleOf(a);

const troubleOf = ({ breaker }: TargetHealth): number => (breaker === 'closed' ? 0 : 1);

function reportedTarget({ pinned, probeInMs, ...rest }: TargetHealth): ReportedTarget {
  return { ...rest, probeInMs: Math.ceil(probeInMs), pinnedForMs: Math.ceil(pinned?.forMs ?? 0) };
}
