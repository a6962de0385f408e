import Type from 'typebox';
import { domainProblems } from '../limits/descriptors/domain-problems.ts';
import { text } from './fields.ts';
import type { Problem } from './problem.ts';

const units = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'];
const mostDescriptors = 10_000;
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
  value: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: 1024 }), Type.Number(), Type.Boolean()]),
  ),
  rate_limit: Type.Optional(RateLimit),
  shadow_mode: Type.Optional(Type.Boolean()),
  detailed_metric: Type.Optional(Type.Boolean()),
  value_to_metric: Type.Optional(Type.Boolean()),
  share_threshold: Type.Optional(Type.Boolean()),
  quota_mode: Type.Optional(Type.Boolean()),
};

/** One level, for the published schema; what is wrong with a document is found by {@link envoyProblems}. */
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

/** Everything that is wrong with a domain, by the rules of what will count by it. */
export function envoyProblems(value: unknown, path: string): Problem[] {
  return domainProblems([value], '').map((problem) => ({
    ...problem,
    path: problem.path.replace('[0]', path),
  }));
}
