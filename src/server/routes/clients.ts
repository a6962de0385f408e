import Type from 'typebox';
import type { Scenarios } from '../../abuse/index.ts';
import { strict } from '../../config/fields.ts';
import { defaultApi } from '../../core/policy.ts';
import type { AuditTrail } from '../../guard/audit-trail.ts';
import { parseAddress } from '../../identity/address.ts';
import type { Client, Limiter } from '../../limits/index.ts';
import { checkedNote } from '../../operators/operator-note.ts';
import { ProblemSchema } from '../http/problem.ts';
import type { Route } from '../route.ts';
import { type GivenNote, noteOf } from './operator-note.ts';
import { notedWithoutToken, noteFields } from './schemas.ts';

/** What routes on the clients of the gateway need. */
export interface ClientParts {
  readonly limiter: Limiter;
  readonly scenarios: () => Scenarios | null;
  readonly audit: AuditTrail;
}

const client = {
  ip: Type.String({ minLength: 1, maxLength: 128 }),
  ua: Type.Optional(Type.Union([Type.String({ maxLength: 8_192 }), Type.Null()])),
  user: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 256 }), Type.Null()])),
};
const LiftBody = Type.Object({ ...client, ...noteFields }, strict);
const Level = Type.Integer({ minimum: 1, maximum: defaultApi.ladder.maxLevel });
const BlockBody = Type.Object({ ...client, level: Type.Optional(Level), ...noteFields }, strict);

type Noted = Client & GivenNote & { readonly level?: number };

/**
 * What operators do about callers of the gateway, whom limits and scenarios block. The caller is typed in, hashed, and
 * neither kept nor shown.
 */
export function clientRoutes({ limiter, scenarios, audit }: ClientParts): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/clients/lift',
      summary: 'Ends what limits and scenarios hold against a caller. `lifted` is false when it was nothing.',
      role: 'operate',
      body: LiftBody,
      requiredWithoutToken: notedWithoutToken,
      answers: { 200: Type.Object({ lifted: Type.Boolean() }), 400: ProblemSchema, 503: ProblemSchema },
      handle: async ({ body, caller }) => {
        const { client, ...act } = await readAct(limiter, body as Noted, caller);
        const lifted = await audit.accompany(
          { what: 'lifted', ...act },
          () => (scenarios() ?? limiter).lift(client),
          (isLifted) => (isLifted ? null : undefined),
        );
        return { status: 200, body: { lifted } };
      },
    },
    {
      method: 'POST',
      path: '/v1/clients/block',
      summary: 'Blocks a caller from this level of the ladder on, default 2.',
      role: 'operate',
      body: BlockBody,
      requiredWithoutToken: notedWithoutToken,
      answers: { 200: Type.Object({ until: Type.Integer() }), 400: ProblemSchema, 503: ProblemSchema },
      handle: async ({ body, caller }) => {
        const noted = body as Noted;
        const { client, ...act } = await readAct(limiter, noted, caller);
        const until = await audit.accompany(
          { what: 'placed', ...act },
          () => limiter.block(client, noted.level),
          (end) => end,
        );
        return { status: 200, body: { until } };
      },
    },
  ];
}

/**
 * Whom it is about, by which id the trail calls that, who acts and why.
 *
 * @throws Fault `INPUT_INVALID` when one of them is missing, and `STORE_*`
 */
async function readAct(limiter: Limiter, noted: Noted, caller: string | null) {
  const note = checkedNote(noteOf(caller, noted));
  const client = clientOf(noted);
  return { client, block: await limiter.blockIdOf(client), ...note };
}

/**
 * @throws Fault `INPUT_INVALID` when `ip` is no address, also beside a user: who can be blocked must be liftable by the
 * same words
 */
function clientOf({ ip, ua, user }: Noted): Client {
  parseAddress(ip);
  return { ip, ...(ua ? { ua } : {}), ...(user ? { user } : {}) };
}
