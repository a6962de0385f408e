import Type from 'typebox';
import { DAY_MS, HOUR_MS } from '../core/duration.ts';
import { pathPatternSource } from '../limits/path-pattern.ts';

/** What a configuration may say of a scenario: {@link Scenario} as a schema. */

const strict = { additionalProperties: false } as const;
const optional = Type.Optional;

/** In characters: a name becomes part of keys and a label of metrics. */
export const longestScenarioName = 48;

const someOf = (item: Type.TSchema, maxItems: number) => Type.Array(item, { minItems: 1, maxItems });
const oneOf = (...values: string[]) => Type.Enum(values);

/** A text of a form, and the form in words. */
const textLike = (pattern: string, expected: string, maxLength?: number) =>
  Type.String({ pattern, expected, ...(maxLength === undefined ? {} : { maxLength }) });

const HeaderName = textLike(
  "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$",
  'the name of a header, at most 64 characters',
);
const PathPattern = textLike(
  pathPatternSource,
  'a path of at most 256 characters that starts with "/", with no pattern but ":name" for a segment and "*" for the last ones',
  256,
);
const MethodName = textLike('^[A-Za-z]{1,20}$', '1 to 20 letters');
const StatusPattern = textLike('^[1-5]([0-9]{2}|xx)$', 'a status in quotes, like "404" or "4xx"');

const filterSchema = Type.Object(
  {
    methods: optional(someOf(MethodName, 16)),
    paths: optional(someOf(PathPattern, 64)),
    notPaths: optional(someOf(PathPattern, 64)),
    status: optional(someOf(StatusPattern, 32)),
    signedIn: optional(Type.Boolean()),
    headers: optional(
      Type.Object(
        { with: optional(someOf(HeaderName, 16)), without: optional(someOf(HeaderName, 16)) },
        strict,
      ),
    ),
    query: optional(
      someOf(
        Type.Object(
          {
            names: someOf(Type.String({ minLength: 1, maxLength: 64 }), 32),
            from: optional(Type.Number({ minimum: 0 })),
            below: optional(Type.Number({ minimum: 0 })),
          },
          strict,
        ),
        8,
      ),
    ),
    assets: optional(Type.Boolean()),
    id: optional(Type.Boolean()),
  },
  strict,
);

const distinctSchema = Type.Object(
  {
    of: oneOf('path', 'target', 'route', 'id', 'client', 'user', 'network', 'range', 'agent', 'fingerprint'),
    windowMs: Type.Integer({ minimum: 1_000, maximum: HOUR_MS }),
    atLeast: optional(Type.Integer({ minimum: 2, maximum: 500 })),
    atMost: optional(Type.Integer({ minimum: 1, maximum: 50 })),
    share: optional(Type.Number({ minimum: 0, maximum: 1 })),
  },
  strict,
);

const bucketSchema = Type.Object(
  {
    capacity: Type.Integer({ minimum: 1, maximum: 100_000 }),
    leakPerMinute: Type.Number({ minimum: 0.1, maximum: 100_000 }),
  },
  strict,
);

const sign = {
  filter: optional(filterSchema),
  key: oneOf('client', 'user', 'network', 'range', 'headers', 'fingerprint'),
  perRoute: optional(Type.Boolean()),
  distinct: optional(someOf(distinctSchema, 3)),
  bucket: optional(bucketSchema),
  clearedBy: optional(filterSchema),
};

const orNothing = (schema: Type.TSchema) => optional(Type.Union([Type.Literal(false), schema]));

const settings = {
  response: optional(
    Type.Object(
      {
        degrade: orNothing(
          Type.Object(
            {
              forMs: optional(Type.Integer({ minimum: 1_000, maximum: DAY_MS })),
              refillScale: optional(Type.Number({ minimum: 0.1, maximum: 1 })),
              delayMs: optional(Type.Integer({ minimum: 0, maximum: 2_000 })),
            },
            strict,
          ),
        ),
        block: orNothing(
          Type.Object({ fromLevel: optional(Type.Integer({ minimum: 1, maximum: 4 })) }, strict),
        ),
      },
      strict,
    ),
  ),
  shadow: optional(Type.Boolean()),
  allow: optional(
    Type.Object(
      {
        cidrs: optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 1_000 })),
        users: optional(Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 1_000 })),
        headers: optional(
          Type.Array(
            Type.Object(
              { name: HeaderName, value: Type.String({ minLength: 16, maxLength: 1_024 }) },
              strict,
            ),
            { maxItems: 16 },
          ),
        ),
      },
      strict,
    ),
  ),
};

const name = textLike(
  '^[a-z0-9]+(-[a-z0-9]+)*$',
  `words of lower-case letters and digits joined by "-", at most ${longestScenarioName} characters`,
  longestScenarioName,
);

/** A scenario, whole. */
export const scenarioSchema = Type.Object(
  { name, ...sign, or: optional(someOf(Type.Object(sign, strict), 3)), ...settings },
  strict,
);

/** Other settings for a built-in scenario, or its end. */
export const builtInOverrideSchema = Type.Object(
  { name, off: optional(Type.Boolean()), ...settings },
  strict,
);
