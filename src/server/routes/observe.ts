import Type from 'typebox';
import { observeRequests, requestReportSchema, type Scenarios } from '../../abuse/index.ts';
import type { RequestEvent } from '../../abuse/request-event.ts';
import { ProblemSchema } from '../http/problem.ts';
import { listBodyBytes, type Route } from '../route.ts';

const ReportSchema = Type.Object(
  {
    observed: Type.Integer(),
    findings: Type.Array(Type.Object({}, { additionalProperties: true }), {
      description: 'What scenarios did about it, without identifiers.',
    }),
  },
  { $id: 'RequestReport' },
);

/** `POST /v1/observe`: whoever answered requests reports how they ended; scenarios that look at outcomes need that. */
export function observeRoutes(scenarios: () => Scenarios | null): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/observe',
      summary: 'Reports requests and how they ended to the scenarios, up to 1000, in their order.',
      role: 'decide',
      bodyBytes: listBodyBytes,
      body: requestReportSchema,
      answers: { 200: ReportSchema, 400: ProblemSchema, 413: ProblemSchema },
      handle: async ({ body }) => {
        const watching = scenarios();
        const { requests } = body as { requests: readonly RequestEvent[] };
        const report =
          watching === null ? { observed: 0, findings: [] } : await observeRequests(watching, requests);
        return { status: 200, body: report };
      },
    },
  ];
}
