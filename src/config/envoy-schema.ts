import Type from 'typebox';
import { text } from './fields.ts';
import { type Problem, schemaProblems } from './problem.ts';
import { isTree, type Tree } from './tree.ts';

/**
 * Rate limits in the form of Envoy's ratelimit service: domains with a tree of descriptors. Field names are those of
 * that form, so that an existing file can be used as it is.
 */
export interface EnvoyDomain {
  readonly domain: string;
  readonly descriptors: readonly EnvoyDescriptor[];
}

export interface EnvoyDescriptor {
  readonly key: string;
  /** Absent: any value, each with a bucket of its own. A last `*` matches any ending. */
  readonly value?: string;
  readonly rate_limit?: EnvoyRateLimit;
  /** Decides and tells, but never refuses. */
  readonly shadow_mode?: boolean;
  /** Metrics by the whole descriptor. */
  readonly detailed_metric?: boolean;
  /** Show the value in metrics. */
  readonly value_to_metric?: boolean;
  /** All values that a wildcard matches share one bucket. */
  readonly share_threshold?: boolean;
  /** Counts, but does not refuse by itself. */
  readonly quota_mode?: boolean;
  readonly descriptors?: readonly EnvoyDescriptor[];
}

export interface EnvoyRateLimit {
  readonly name?: string;
  /** Lower or upper case. */
  readonly unit?: string;
  readonly requests_per_unit?: number;
  readonly unlimited?: boolean;
  /** Names of limits that do not apply when this one does. */
  readonly replaces?: readonly { readonly name: string }[];
}

const units = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'];
const mostDescriptors = 10_000;
const mostDepth = 16;
const strict = { additionalProperties: false } as const;

const RateLimit = Type.Object(
  {
    name: Type.Optional(text(256)),
    unit: Type.Optional(Type.Enum(units.flatMap((unit) => [unit, unit.toUpperCase()]))),
    requests_per_unit: Type.Optional(Type.Integer({ minimum: 0, maximum: 4_294_967_295 })),
    unlimited: Type.Optional(Type.Boolean()),
    replaces: Type.Optional(Type.Array(Type.Object({ name: text(256) }, strict), { maxItems: 64 })),
  },
  strict,
);

const descriptorFields = {
  key: text(256),
  value: Type.Optional(Type.String({ maxLength: 1024 })),
  rate_limit: Type.Optional(RateLimit),
  shadow_mode: Type.Optional(Type.Boolean()),
  detailed_metric: Type.Optional(Type.Boolean()),
  value_to_metric: Type.Optional(Type.Boolean()),
  share_threshold: Type.Optional(Type.Boolean()),
  quota_mode: Type.Optional(Type.Boolean()),
};

/** One level; those below it are checked by {@link envoyProblems}, one by one. */
export const EnvoyDescriptorSchema = Type.Object(
  {
    ...descriptorFields,
    descriptors: Type.Optional(Type.Array(Type.Unknown(), { maxItems: mostDescriptors })),
  },
  strict,
);

export const EnvoyDomainSchema = Type.Object(
  {
    domain: text(256),
    descriptors: Type.Optional(Type.Array(Type.Unknown(), { maxItems: mostDescriptors })),
  },
  { ...strict, description: 'A domain in the form of Envoy’s ratelimit service.' },
);

/** Everything that is wrong with a domain. */
export function envoyProblems(value: unknown, path: string): Problem[] {
  const problems = schemaProblems(EnvoyDomainSchema, value, path);
  if (!isTree(value)) return problems;
  return [...problems, ...levelProblems(value, path, 1)];
}

function levelProblems({ descriptors }: Tree, path: string, depth: number): Problem[] {
  if (!Array.isArray(descriptors)) return [];
  if (depth > mostDepth)
    return [{ path, message: `descriptors must not be nested deeper than ${mostDepth} levels` }];
  const seen = new Set<string>();
  return descriptors.flatMap((descriptor: unknown, index) => {
    const at = `${path}.descriptors[${index}]`;
    const problems = schemaProblems(EnvoyDescriptorSchema, descriptor, at);
    if (!isTree(descriptor)) return problems;
    const identity = JSON.stringify([descriptor.key, descriptor.value ?? null]);
    if (seen.has(identity)) problems.push({ path: at, message: 'has the key and value of one before it' });
    seen.add(identity);
    return [
      ...problems,
      ...rateProblems(descriptor.rate_limit, `${at}.rate_limit`),
      ...levelProblems(descriptor, at, depth + 1),
    ];
  });
}

function rateProblems(limit: unknown, path: string): Problem[] {
  if (!isTree(limit)) return [];
  const counts = limit.unit !== undefined || limit.requests_per_unit !== undefined;
  if (limit.unlimited === true) {
    return counts
      ? [{ path, message: 'must not have a unit or requests_per_unit when it is unlimited' }]
      : [];
  }
  const missing = ['unit', 'requests_per_unit'].filter((field) => limit[field] === undefined);
  const replaced = Array.isArray(limit.replaces) ? limit.replaces : [];
  const own = replaced.some((other: unknown) => isTree(other) && other.name === limit.name);
  return [
    ...missing.map((field) => ({ path: `${path}.${field}`, message: 'is missing' })),
    ...(own ? [{ path: `${path}.replaces`, message: 'must not name the limit itself' }] : []),
  ];
}
