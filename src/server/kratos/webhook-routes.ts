import Type from 'typebox';
import type { WebhookCaller, WebhookRefusal } from '../../kratos/webhook-access.ts';
import type { WebhookAnswer, Webhooks } from '../../kratos/webhooks.ts';
import { problemMediaType } from '../../limits/index.ts';
import { ProblemSchema, problemBody } from '../http/problem.ts';
import type { Route, RouteAnswer, RouteCall } from '../route.ts';

const prefix = '/api/v1/webhooks/kratos/login-backoff';

const Allowed = Type.Object({
  allowed: Type.Literal(true),
  identifier_attempts: Type.Integer(),
  ip_attempts: Type.Integer(),
});
const Reset = Type.Object({ status: Type.Literal('success'), message: Type.String() });

/** The two webhooks of login backoff. They judge by themselves who may call: their callers know no tokens of ours. */
export function webhookRoutes(
  webhooks: Webhooks,
  access: (caller: WebhookCaller) => WebhookRefusal,
): Route[] {
  const hook = (answer: (body: Uint8Array) => Promise<WebhookAnswer>) => async (call: RouteCall) => {
    const body = call.body as Uint8Array;
    const { ip, isTranslated, headers, httpVersion } = call;
    const refusal = access({ ip, isTranslated, headers, httpVersion, body });
    return refusal === null ? answer(body) : refused(refusal);
  };
  const shared = { method: 'POST', role: null, ownAccess: true, rawBody: true } as const;
  return [
    {
      ...shared,
      path: `${prefix}/before-login`,
      summary: 'Only with `kratos` configured. Counts a login attempt; 403 where it must not go on.',
      answers: { 200: Allowed, 401: ProblemSchema, 403: null },
      handle: hook((body) => webhooks.beforeLogin(body)),
    },
    {
      ...shared,
      path: `${prefix}/after-login`,
      summary: 'Only with `kratos` configured. Resets what a login that has succeeded had counted.',
      answers: { 200: Reset, 401: ProblemSchema, 403: ProblemSchema },
      handle: hook((body) => webhooks.afterLogin(body)),
    },
  ];
}

function refused({ status, detail }: NonNullable<WebhookRefusal>): RouteAnswer {
  return {
    status,
    headers: { 'Content-Type': problemMediaType },
    body: problemBody(status === 401 ? 'TOKEN_UNKNOWN' : 'LOOPBACK_ONLY', detail),
  };
}
