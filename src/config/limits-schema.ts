import Type from 'typebox';
import { limitBounds } from '../limits/allowance.ts';
import { pathPatternSource } from '../limits/path-pattern.ts';
import { AllowSchema } from './allow-schema.ts';
import { choice, name, optionalFields, orNull, strict, text, whole } from './fields.ts';

/** What a configuration may say of the limiter: everything `createLimiter` takes as data. */

const { leastRate, mostRate, leastBurst, mostBurst, mostCost } = limitBounds;

const rate = Type.Number({
  minimum: leastRate,
  maximum: mostRate,
  description: 'Units of cost per second that flow back.',
});
const burst = Type.Number({
  minimum: leastBurst,
  maximum: mostBurst,
  description: 'How many seconds of the rate may be spent at once.',
});
const cost = whole(0, mostCost, 'What a call costs.');

const Limit = optionalFields({ ratePerSecond: rate, burst });

const path = Type.String({
  pattern: pathPatternSource,
  maxLength: 512,
  expected:
    'a path of at most 512 characters that starts with "/", with no pattern but ":name" for a segment and "*" for the last ones',
  description: '`/read/:id` matches one segment at `:id`; a last `*` matches whatever follows.',
});

const Route = Type.Object(
  {
    method: Type.Optional(
      Type.String({
        pattern: '^(?![Hh][Ee][Aa][Dd]$)[A-Za-z]{1,16}$',
        expected: 'an HTTP method other than HEAD',
        description:
          'Any method if absent. A HEAD counts as the GET it stands for, and has no route of its own.',
      }),
    ),
    path,
    cost: Type.Optional(cost),
    signIn: Type.Optional(
      Type.Boolean({ description: 'A sensitive route: answers do not tell the remaining quota.' }),
    ),
  },
  strict,
);

const GatewayService = Type.Object(
  {
    name: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$',
      expected: '1 to 64 letters, digits, ".", "_", "@" or "-", a letter or digit first',
      description: 'As its nodes name it in `publishPressure`.',
    }),
    path: Type.Optional(path),
  },
  strict,
);

const Override = Type.Object(
  {
    user: Type.Optional(text(256, 'A user id. Either this or `cidr`.')),
    cidr: Type.Optional(text(64, 'A range of addresses. Either this or `user`.')),
    ratePerSecond: rate,
    burst: Type.Optional(burst),
  },
  strict,
);

/** Metrics have a series per route. */
const mostRoutes = 500;
const mostServices = 64;

export const LimitsSection = optionalFields(
  {
    name: name('Part of every key, and the policy’s name in the RateLimit headers.'),
    signedIn: Limit,
    anonymous: Limit,
    routes: Type.Array(Route, {
      maxItems: mostRoutes,
      description: 'What routes cost; the first match wins.',
    }),
    otherCost: cost,
    services: Type.Array(GatewayService, {
      maxItems: mostServices,
      description:
        'Services behind the gateway: under the pressure that they publish in the store, who calls them gets less. The first ' +
        'match wins; the last one may be without a path, for all other calls.',
    }),
    overrides: Type.Array(Override, { maxItems: 10_000 }),
    allow: AllowSchema,
    shadow: Type.Union([Type.Boolean(), Type.Array(choice(['limit', 'auto-block']), { maxItems: 2 })], {
      description: 'Rules that decide and tell, but never refuse; `true` for all.',
    }),
    userHeader: orNull(
      Type.String({
        pattern: '^[A-Za-z0-9-]{1,64}$',
        expected: 'the name of a header of letters, digits and "-"',
      }),
      'The header in which a trusted proxy names the signed-in user; null: nobody is signed in.',
    ),
    standardHeaders: Type.Boolean({ description: '`RateLimit` and `RateLimit-Policy`.' }),
    legacyHeaders: Type.Boolean({ description: '`X-RateLimit-*`.' }),
  },
  { description: 'The gateway’s token buckets.' },
);

export type LimitsData = Type.Static<typeof LimitsSection>;
