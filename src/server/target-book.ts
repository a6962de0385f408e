import type { RecentLoop } from '../svc-client/health.ts';
import type { HealthReport, ReportedTarget } from '../svc-client/health-report.ts';

/** How many clients may report at the same time. */
export const MOST_REPORTERS = 64;
/** A reporter that misses so many reports is gone. */
const MISSED_REPORTS = 3;

/** What a client has reported, and how old that is. */
export interface Reporter extends Omit<HealthReport, 'everyMs'> {
  readonly ageMs: number;
  /** Until it is taken for gone. */
  readonly expiresInMs: number;
}

/** How many clients report, and how many breakers they see in which state. */
export interface TargetCounts {
  readonly reporters: number;
  readonly breakers: Readonly<Record<ReportedTarget['breaker'], number>>;
}

/** Told of each loop once, with who reports it. */
export type LoopListener = (reporter: string, loop: RecentLoop) => void;

/** How many more a report tells of than the one before. */
export interface ReportedGrowth {
  readonly loops: number;
  readonly droppedPassports: number;
}

/** Told with each report. */
export type GrowthListener = (growth: ReportedGrowth) => void;

interface Entry {
  readonly report: HealthReport;
  readonly at: number;
  readonly expiresAt: number;
}

/** What applications report of the services they call. Bounded; a report that is not renewed is forgotten. */
export class TargetBook {
  readonly #clock: () => number;
  readonly #onLoop: LoopListener;
  readonly #onGrowth: GrowthListener;
  readonly #entries = new Map<string, Entry>();

  /** @param clock monotonic, in milliseconds */
  constructor(clock: () => number, onLoop: LoopListener = () => {}, onGrowth: GrowthListener = () => {}) {
    this.#clock = clock;
    this.#onLoop = onLoop;
    this.#onGrowth = onGrowth;
  }

  /**
   * Takes a report in place of the last one of the same name and token. False when too many others report already.
   *
   * @param caller the name of the token it came with; null where there are none
   */
  take(caller: string | null, report: HealthReport): boolean {
    const now = this.#clock();
    const key = JSON.stringify([caller, report.name]);
    this.#forget(now);
    const last = this.#entries.get(key);
    if (last === undefined && this.#entries.size >= MOST_REPORTERS) return false;
    this.#entries.set(key, { report, at: now, expiresAt: now + MISSED_REPORTS * report.everyMs });
    const loops = newLoops(report, last?.report);
    for (const loop of loops) this.#onLoop(report.name, loop);
    this.#onGrowth(growthOf(report, last?.report, loops.length));
    return true;
  }

  /** By name. */
  reporters(): Reporter[] {
    const now = this.#clock();
    this.#forget(now);
    return [...this.#entries.values()]
      .map(({ report: { everyMs: _, ...report }, at, expiresAt }) => ({
        ...report,
        ageMs: Math.round(now - at),
        expiresInMs: Math.round(expiresAt - now),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  counts(): TargetCounts {
    this.#forget(this.#clock());
    const breakers = { closed: 0, open: 0, 'half-open': 0 };
    for (const { report } of this.#entries.values()) {
      for (const { breaker } of report.targets) breakers[breaker] += 1;
    }
    return { reporters: this.#entries.size, breakers };
  }

  #forget(now: number): void {
    for (const [key, { expiresAt }] of this.#entries) {
      if (expiresAt <= now) this.#entries.delete(key);
    }
  }
}

/**
 * Those since the last report. Without one, those since it was due: the others were told before this service was started or
 * had forgotten the client.
 */
function newLoops(
  { loops, recentLoops = [], everyMs }: HealthReport,
  last: HealthReport | undefined,
): RecentLoop[] {
  if (last === undefined) return recentLoops.filter(({ agoMs }) => agoMs <= everyMs);
  return recentLoops.slice(Math.max(0, recentLoops.length - since(loops, last.loops)));
}

/**
 * A first report adds the loops that are known to be new: its counts run from the start of the client, and another life of
 * this service may have counted them. Later ones add all, also the loops that they no longer name.
 */
function growthOf(
  { loops, droppedPassports }: HealthReport,
  last: HealthReport | undefined,
  newLoops: number,
): ReportedGrowth {
  if (last === undefined) return { loops: newLoops, droppedPassports: 0 };
  return {
    loops: since(loops, last.loops),
    droppedPassports: since(droppedPassports, last.droppedPassports),
  };
}

/** A count that has fallen is one of a client that was started anew. */
function since(count: number, before: number): number {
  return before > count ? count : count - before;
}
