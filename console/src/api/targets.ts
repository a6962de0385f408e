import { isObject, numberOf, textOf } from '../feed/feed-line.ts';

/** A target of service-to-service calls, as one client sees it. */
export interface TargetView {
  readonly target: string;
  /** Who reports it. */
  readonly reporter: string;
  /** How old the report is. */
  readonly ageMs: number;
  readonly breaker: string;
  /** Until the next probe of an open breaker. */
  readonly probeInMs: number;
  readonly isPinned: boolean;
  readonly calls: number;
  readonly retries: number;
  readonly failures: number;
  /** Calls that were not made, by why. */
  readonly denied: readonly (readonly [string, number])[];
}

/** A loop that was refused, by the request that went round. */
export interface LoopView {
  readonly requestId: string;
  /** `orders@1 → stock@1 → …` */
  readonly way: string;
  readonly agoMs: number;
}

/** A client whose breaker over all its targets is not closed, or that does not show all it has. */
export interface ReporterView {
  readonly name: string;
  readonly globalBreaker: string;
  /** Why it is not closed; null where nobody says. */
  readonly globalCause: string | null;
  readonly loops: number;
  /** The newest first. */
  readonly recentLoops: readonly LoopView[];
  readonly leftOut: number;
}

export interface TargetsView {
  readonly targets: readonly TargetView[];
  readonly reporters: readonly ReporterView[];
}

/** What service clients report to the node that answers; the same target of several clients stands together. */
export function targetsOf(answer: unknown): TargetsView {
  const reporters = isObject(answer) ? objectsIn(answer.reporters) : [];
  return {
    targets: reporters.flatMap(targetsIn).sort(byTarget),
    reporters: reporters.map((value) => ({
      name: textOf(value.name) ?? '?',
      globalBreaker: textOf(value.globalBreaker) ?? '?',
      globalCause: textOf(value.globalCause),
      loops: numberOf(value.loops),
      recentLoops: objectsIn(value.recentLoops)
        .map(loopOf(numberOf(value.ageMs)))
        .reverse(),
      leftOut: numberOf(value.leftOut),
    })),
  };
}

const loopOf =
  (ageMs: number) =>
  ({ requestId, hops, agoMs }: Fields): LoopView => ({
    requestId: textOf(requestId) ?? '?',
    way: Array.isArray(hops) ? hops.map((hop) => textOf(hop) ?? '?').join(' → ') : '?',
    agoMs: numberOf(agoMs) + ageMs,
  });

type Fields = Readonly<Record<string, unknown>>;

function targetsIn(reporter: Fields): TargetView[] {
  const ageMs = numberOf(reporter.ageMs);
  return objectsIn(reporter.targets).map((value) => ({
    target: textOf(value.target) ?? '?',
    reporter: textOf(reporter.name) ?? '?',
    ageMs,
    breaker: textOf(value.breaker) ?? '?',
    probeInMs: Math.max(0, numberOf(value.probeInMs) - ageMs),
    isPinned: numberOf(value.pinnedForMs) > ageMs,
    calls: numberOf(value.calls),
    retries: numberOf(value.retries),
    failures: numberOf(value.failures),
    denied: isObject(value.denied)
      ? Object.entries(value.denied).map(([reason, count]) => [reason, numberOf(count)] as const)
      : [],
  }));
}

const objectsIn = (list: unknown): Fields[] => (Array.isArray(list) ? list.filter(isObject) : []);

function byTarget(a: TargetView, b: TargetView): number {
  return a.target.localeCompare(b.target) || a.reporter.localeCompare(b.reporter);
}
