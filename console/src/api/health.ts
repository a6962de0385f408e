import { isObject, numberOf } from '../feed/feed-line.ts';
import { listIn } from './operating.ts';
import type { ServiceStatus } from './status.ts';

/** Decisions since the start, by policy. */
export interface PolicyCounts {
  readonly policy: string;
  readonly ALLOW: number;
  readonly SOFT_BLOCK: number;
  readonly HARD_BLOCK: number;
}

/** A scenario and what it did since the start. */
export interface ScenarioView {
  readonly name: string;
  readonly state: 'on' | 'off' | 'in shadow';
  readonly degraded: number;
  readonly blocked: number;
  readonly skipped: number;
}

/** Null where scenarios are off. */
export function scenariosIn({ raw }: ServiceStatus): readonly ScenarioView[] | null {
  const { scenarios } = raw;
  if (!isObject(scenarios) || scenarios.enabled !== true) return null;
  const counts =
    isObject(scenarios.counts) && isObject(scenarios.counts.scenarios) ? scenarios.counts.scenarios : {};
  const viewOf = (state: ScenarioView['state']) => (name: unknown) => {
    const count = isObject(counts[String(name)]) ? counts[String(name)] : {};
    const { degraded, blocked, skipped } = isObject(count) ? count : {};
    return {
      name: String(name),
      state,
      degraded: numberOf(degraded),
      blocked: numberOf(blocked),
      skipped: numberOf(skipped),
    };
  };
  const shadowed = new Set(listIn(scenarios, 'shadow'));
  const isShadow = (name: unknown) => scenarios.shadow === true || shadowed.has(name);
  return [
    ...listIn(scenarios, 'names').map((name) => viewOf(isShadow(name) ? 'in shadow' : 'on')(name)),
    ...listIn(scenarios, 'off').map(viewOf('off')),
  ];
}

export function decisionsIn({ raw }: ServiceStatus): readonly PolicyCounts[] {
  const { decisions } = raw;
  if (!isObject(decisions)) return [];
  return Object.entries(decisions).flatMap(([policy, counts]) =>
    isObject(counts)
      ? [
          {
            policy,
            ALLOW: numberOf(counts.ALLOW),
            SOFT_BLOCK: numberOf(counts.SOFT_BLOCK),
            HARD_BLOCK: numberOf(counts.HARD_BLOCK),
          },
        ]
      : [],
  );
}

const ownFields: ReadonlySet<string> = new Set([
  'at',
  'startedAt',
  'version',
  'environment',
  'store',
  'storeAnswers',
  'draining',
  'mayOperate',
  'modes',
  'policies',
  'limits',
  'decisions',
  'feed',
  'scenarios',
  'targets',
]);

/** What other parts of the service say of themselves: names and plain values, nested ones joined with a dot. */
export function roomsIn({
  raw,
}: ServiceStatus): readonly (readonly [string, readonly (readonly [string, string])[]])[] {
  return Object.entries(raw)
    .filter(([name]) => !ownFields.has(name))
    .map(([name, value]) => [name, factsOf(value, '')] as const);
}

const MOST_FACTS = 40;

function factsOf(value: unknown, path: string): (readonly [string, string])[] {
  if (isObject(value)) {
    return Object.entries(value)
      .flatMap(([field, inner]) => factsOf(inner, path === '' ? field : `${path}.${field}`))
      .slice(0, MOST_FACTS);
  }
  if (Array.isArray(value))
    return [
      [
        path,
        value
          .map((item) => JSON.stringify(item))
          .join(', ')
          .slice(0, 400),
      ],
    ];
  return [[path === '' ? 'state' : path, String(value)]];
}
