import Type from 'typebox';
import type { Guard } from '../../guard/guard.ts';
import { ProblemSchema } from '../http/problem.ts';
import type { Route } from '../route.ts';
import { type EventSignals, requestOf } from './decisions.ts';
import { DecisionSchema, ScopeSchema, SignalsSchema } from './schemas.ts';

const Held = Type.Union([Type.Null(), Type.Object({ level: Type.Integer(), until: Type.Integer() })]);

const ExplanationSchema = Type.Object(
  {
    at: Type.Integer({ description: 'ms of the store’s clock' }),
    policy: Type.String(),
    device: Type.Enum(['missing', 'unknown', 'known', 'trusted']),
    admitted: Type.Boolean({
      description:
        'False when the network has shown too many new devices lately, and where there is no device.',
    }),
    keys: Type.Array(
      Type.Object({
        scope: ScopeSchema,
        id: Type.String({ description: 'What a lift of this key takes; holds hashes only.' }),
        stops: Type.Boolean({ description: 'Whether a block on this key would stop this request.' }),
        score: Type.Integer(),
        rememberedLevel: Type.Integer(),
        hard: Held,
        soft: Held,
      }),
    ),
    budget: Type.Union([
      Type.Null(),
      Type.Object({
        active: Type.Boolean(),
        failures: Type.Integer(),
        threshold: Type.Integer(),
        epochEnds: Type.Union([Type.Null(), Type.Integer()]),
        soft: Held,
      }),
    ]),
    history: Type.Array(
      Type.Object({
        at: Type.Integer(),
        scope: ScopeSchema,
        what: Type.Enum(['failure', 'sighting', 'rotation', 'soft', 'hard']),
      }),
      { description: 'What led here, oldest first, as far as the records remember.' },
    ),
    now: DecisionSchema,
    next: Type.Object({ op: Type.Enum(['fail', 'consume']), decision: DecisionSchema }),
    words: Type.Array(Type.String()),
  },
  { $id: 'Explanation' },
);

/** `POST /v1/explain`: one subject's story. The subject is typed in; nothing of it is kept or shown. */
export function explainRoutes(guard: Guard): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/explain',
      summary:
        'How a subject stands: its keys, its budget, what the next failure or call would give. Writes nothing.',
      role: 'observe',
      body: SignalsSchema,
      answers: { 200: ExplanationSchema, 400: ProblemSchema, 503: ProblemSchema },
      handle: async ({ body }) => ({
        status: 200,
        body: await guard.explain(requestOf(body as EventSignals)),
      }),
    },
  ];
}
