import Type from 'typebox';
import { strict } from '../../config/fields.ts';
import { blockingRules } from '../../core/policy.ts';
import type { Pin, PinRequest } from '../../guard/pins/pin.ts';
import type { Pins } from '../../guard/pins/pins.ts';
import { limitBounds } from '../../limits/allowance.ts';
import { ProblemSchema } from '../http/problem.ts';
import type { Route } from '../route.ts';
import { type GivenNote, noteOf } from './operator-note.ts';
import { notedWithoutToken, noteFields } from './schemas.ts';

const note = {
  ...noteFields,
  forMs: Type.Integer({ minimum: 1_000, description: 'How long it holds, in ms.' }),
};

const { leastRate, mostRate, leastBurst, mostBurst } = limitBounds;
const limit = {
  ratePerSecond: Type.Number({ minimum: leastRate, maximum: mostRate }),
  burst: Type.Optional(Type.Number({ minimum: leastBurst, maximum: mostBurst })),
};

const LimitPin = Type.Object({ ...limit, ...note }, strict);
const UserPin = Type.Object(
  { ...limit, user: Type.String({ minLength: 1, maxLength: 256 }), ...note },
  strict,
);
const NetworkPin = Type.Object(
  { ...limit, ip: Type.String({ minLength: 1, maxLength: 128 }), ...note },
  strict,
);
const FailurePin = Type.Object({ mode: Type.Enum(['closed', 'caps']), ...note }, strict);
const PlainPin = Type.Object(note, strict);

const PinSchema = Type.Object(
  {
    name: Type.String(),
    kind: Type.Enum(['limit', 'failure', 'scenario', 'shadow']),
    by: Type.String(),
    why: Type.String(),
    from: Type.Integer(),
    until: Type.Integer(),
  },
  {
    $id: 'Pin',
    description: 'Besides these, what its kind holds in place; hashes in place of whom it is for.',
  },
);

const shown = ({ id: name, ...pin }: Pin) => ({ name, ...pin });

/** One path per thing that can be pinned; what is pinned is in the path, whom it is for and for how long in the body. */
const pinnable: readonly {
  readonly path: string;
  readonly summary: string;
  readonly body: Type.TSchema;
  readonly request: (body: object, params: Readonly<Record<string, string>>) => unknown;
}[] = [
  {
    path: '/v1/pins/limits/signed-in',
    summary: 'Holds the limit of all signed-in users for a time.',
    body: LimitPin,
    request: (body) => ({ kind: 'limit', for: 'signedIn', ...body }),
  },
  {
    path: '/v1/pins/limits/anonymous',
    summary: 'Holds the limit of everybody else for a time.',
    body: LimitPin,
    request: (body) => ({ kind: 'limit', for: 'anonymous', ...body }),
  },
  {
    path: '/v1/pins/limits/user',
    summary: 'Holds the limit of one user for a time. The user is hashed and kept nowhere.',
    body: UserPin,
    request: (body) => ({ kind: 'limit', for: 'user', ...body }),
  },
  {
    path: '/v1/pins/limits/network',
    summary: 'Holds the limit of one network for a time. The address is hashed and kept nowhere.',
    body: NetworkPin,
    request: (body) => ({ kind: 'limit', for: 'network', ...body }),
  },
  {
    path: '/v1/pins/failure/:policy',
    summary: 'What a policy does while the store is away, for a time.',
    body: FailurePin,
    request: (body, { policy }) => ({ kind: 'failure', policy, ...body }),
  },
  {
    path: '/v1/pins/scenarios/:scenario',
    summary: 'Turns a scenario off for a time.',
    body: PlainPin,
    request: (body, { scenario }) => ({ kind: 'scenario', scenario, ...body }),
  },
  {
    path: '/v1/pins/shadow/:policy/:rule',
    summary: `Lets a rule run in shadow for a time: one of ${blockingRules.join(', ')}, if the policy has it.`,
    body: PlainPin,
    request: (body, { policy, rule }) => ({ kind: 'shadow', policy, rule, ...body }),
  },
];

const PinList = Type.Object({
  at: Type.Integer({ description: 'ms of the store’s clock, by which pins end.' }),
  pins: Type.Array(PinSchema),
});

/**
 * What operators hold in place for a time, with who, why and until when in the audit trail.
 *
 * @param storeNow the store's time, in ms
 */
export function pinRoutes(pins: Pins, storeNow: () => Promise<number>): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/pins',
      summary: 'Pins that hold now.',
      role: 'observe',
      answers: { 200: PinList, 503: ProblemSchema },
      handle: async () => {
        const listed = await pins.list();
        return { status: 200, body: { at: await storeNow(), pins: listed.map(shown) } };
      },
    },
    ...pinnable.map(
      ({ path, summary, body, request }): Route => ({
        method: 'PUT',
        path,
        summary,
        role: 'operate',
        body,
        requiredWithoutToken: notedWithoutToken,
        answers: { 200: PinSchema, 400: ProblemSchema, 503: ProblemSchema },
        handle: async ({ body: given, params, caller }) => {
          const { by, why, forMs, ...rest } = given as GivenNote & { readonly forMs: number };
          const asked = request(rest, params) as PinRequest;
          const noted = { ...noteOf(caller, { by, why }), forMs };
          return { status: 200, body: shown(await pins.put(asked, noted)) };
        },
      }),
    ),
    {
      method: 'DELETE',
      path: '/v1/pins/:name',
      summary: 'Ends a pin, by the name that it was listed with. `removed` is false when there was none.',
      role: 'operate',
      body: Type.Object(noteFields, strict),
      requiredWithoutToken: notedWithoutToken,
      answers: { 200: Type.Object({ removed: Type.Boolean() }), 400: ProblemSchema, 503: ProblemSchema },
      handle: async ({ params, body, caller }) => {
        const noted = noteOf(caller, body as GivenNote);
        return { status: 200, body: { removed: await pins.remove(params.name ?? '', noted) } };
      },
    },
  ];
}
