import Type from 'typebox';
import { strict } from '../../config/fields.ts';
import { MOST_RECENT_LOOPS } from '../../svc-client/checkpoint.ts';
import { type HealthReport, MOST_REPORTED_TARGETS } from '../../svc-client/health-report.ts';
import { MAX_HOPS } from '../../svc-client/passport.ts';
import { ProblemSchema, problemAnswer } from '../http/problem.ts';
import type { Route } from '../route.ts';
import { MOST_REPORTERS, type TargetBook } from '../target-book.ts';

const Count = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

/** Why calls were not made; as many names as there are reasons, so that no other text can be reported. */
const denialReasons = [
  'target-rate',
  'global-rate',
  'target-breaker',
  'global-breaker',
  'deadline',
  'loop',
  'too-many-hops',
] as const satisfies readonly (keyof HealthReport['targets'][number]['denied'])[];

const slugKey = (description: string) =>
  Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}@(0|[1-9][0-9]{0,5})$', description });

const LoopSchema = Type.Object(
  {
    requestId: Type.String({ pattern: '^[!-~]{1,128}$', description: 'Of the request that went round.' }),
    hops: Type.Array(slugKey('A service on its way.'), { maxItems: MAX_HOPS + 1 }),
    agoMs: Count('How long ago, when it was reported.'),
  },
  { ...strict, $id: 'ReportedLoop' },
);

const TargetSchema = Type.Object(
  {
    target: slugKey('A slugKey: `name@major`.'),
    breaker: Type.Enum(['closed', 'open', 'half-open']),
    probeInMs: Count('Until the next probe of an open breaker; else 0.'),
    pinnedForMs: Count('For how long a pinned limit still holds; 0 where none is.'),
    calls: Count('Since the start of the client, as all counts.'),
    attempts: Count('Requests that were sent.'),
    retries: Count('Of them, those after the first of a call.'),
    failures: Count('Calls that ended in a failure that could have been retried.'),
    denied: Type.Object(
      Object.fromEntries(
        denialReasons.map((reason) => [reason, Type.Optional(Count('Calls that were not made.'))]),
      ),
      strict,
    ),
  },
  { ...strict, $id: 'ReportedTarget' },
);

const reportFields = {
  name: Type.String({
    pattern: '^[A-Za-z][A-Za-z0-9._-]{0,63}$',
    description: 'Who reports: an instance of an application.',
  }),
  globalBreaker: Type.Enum(['closed', 'open', 'closing']),
  globalCause: Type.Optional(
    Type.Union([Type.Enum(['saturation', 'partition', 'latency']), Type.Null()], {
      description: 'Why it is not closed; null where it is.',
    }),
  ),
  loops: Count('Loops refused.'),
  recentLoops: Type.Optional(
    Type.Array(LoopSchema, {
      maxItems: MOST_RECENT_LOOPS,
      description: 'The last of them, the newest at the end.',
    }),
  ),
  droppedPassports: Count('Passports that did not verify.'),
  targets: Type.Array(TargetSchema, { maxItems: MOST_REPORTED_TARGETS }),
  leftOut: Count('Targets that are not in the report, because there are too many.'),
};

const HealthReportSchema = Type.Object(
  {
    ...reportFields,
    everyMs: Type.Integer({
      minimum: 1_000,
      maximum: 300_000,
      description: 'When the next report is due. After three that did not come it is forgotten.',
    }),
  },
  { ...strict, $id: 'HealthReport' },
);

const ReportersSchema = Type.Object({
  reporters: Type.Array(
    Type.Object(
      {
        ...reportFields,
        ageMs: Count('How old the report is.'),
        expiresInMs: Count('Until the reporter is taken for gone.'),
      },
      { $id: 'Reporter' },
    ),
  ),
});

/** What applications see of the services they call: `publishHealth` reports it, the console shows it. */
export function targetRoutes(book: TargetBook): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/targets',
      summary: `Takes what a service client reports of its targets, in place of its last report. Up to ${MOST_REPORTERS} clients.`,
      role: 'decide',
      body: HealthReportSchema,
      answers: { 200: Type.Object({ taken: Type.Literal(true) }), 400: ProblemSchema, 503: ProblemSchema },
      handle: ({ body, caller }) =>
        book.take(caller, body as HealthReport)
          ? { status: 200, body: { taken: true } }
          : problemAnswer('TOO_MANY_REPORTERS', `${MOST_REPORTERS} clients report already.`, {
              headers: { 'Retry-After': '60' },
            }),
    },
    {
      method: 'GET',
      path: '/v1/targets',
      summary: 'Targets of service clients and their breakers, by who reports them to this node.',
      role: 'observe',
      answers: { 200: ReportersSchema },
      handle: () => ({ status: 200, body: { reporters: book.reporters() } }),
    },
  ];
}
