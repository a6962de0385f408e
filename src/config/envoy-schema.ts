import Type from 'typebox';
import { domainBounds, domainProblems } from '../limits/descriptors/domain-problems.ts';
import { windowUnits } from '../limits/descriptors/window-unit.ts';
import { strict, text, whole } from './fields.ts';
import type { Problem } from './problem.ts';

const units = Object.keys(windowUnits);
const name = text(domainBounds.nameChars);
const flag = Type.Boolean();

const RateLimit = Type.Object(
  {
    name: Type.Optional(name),
    unit: Type.Optional(Type.Enum(units.flatMap((unit) => [unit, unit.toUpperCase()]))),
    requests_per_unit: Type.Optional(whole(0, domainBounds.requests)),
    unlimited: Type.Optional(flag),
    replaces: Type.Optional(Type.Array(Type.Object({ name }, strict), { maxItems: domainBounds.replaces })),
  },
  strict,
);

/** One level, for the published schema; what is wrong with a document is found by {@link envoyProblems}. */
const descriptors = Type.Optional(Type.Array(Type.Unknown(), { maxItems: domainBounds.descriptors }));

export const EnvoyDescriptorSchema = Type.Object(
  {
    key: name,
    value: Type.Optional(Type.Union([text(domainBounds.valueChars), Type.Number(), flag])),
    rate_limit: Type.Optional(RateLimit),
    shadow_mode: Type.Optional(flag),
    detailed_metric: Type.Optional(flag),
    value_to_metric: Type.Optional(flag),
    share_threshold: Type.Optional(flag),
    quota_mode: Type.Optional(flag),
    descriptors,
  },
  strict,
);

export const EnvoyDomainSchema = Type.Object(
  { domain: name, descriptors },
  { ...strict, description: 'A domain in the form of Envoy’s ratelimit service.' },
);

/** Everything that is wrong with a domain, by the rules of what will count by it. */
export function envoyProblems(value: unknown, path: string): Problem[] {
  return domainProblems([value], '').map((problem) => ({
    ...problem,
    path: problem.path.replace('[0]', path),
  }));
}
