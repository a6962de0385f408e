import type { Decision } from '../../core/decision.ts';
import { type OperationName, operationNames } from '../../guard/engine.ts';
import type { Guard } from '../../guard/guard.ts';
import type { GuardRequest } from '../../guard/signals.ts';
import { ProblemSchema } from '../http/problem.ts';
import { jsonText } from '../http/send-answer.ts';
import type { Route } from '../route.ts';
import { decisionText } from './decision-text.ts';
import { CallSchema, DecisionSchema, SignalsSchema } from './schemas.ts';

/** The signals of an event, as its schema has let them through. */
export type EventSignals = Omit<GuardRequest, 'action'> & {
  readonly action?: string | null;
  readonly cost?: number | null;
};

const summaries: Readonly<Record<OperationName, string>> = {
  check: 'Decides before credentials are looked at. Writes nothing.',
  fail: 'Credentials were wrong.',
  succeed: 'Credentials were right. A HARD_BLOCK answer means: refuse all the same, and tell it as a fail.',
  consume: 'One call of an API action, with its cost.',
};

/** `POST /v1/check`, `/v1/fail`, `/v1/succeed`, `/v1/consume`: 200 with the decision, always. */
export function decisionRoutes(guard: Guard): Route[] {
  return operationNames.map((op) => ({
    method: 'POST',
    path: `/v1/${op}`,
    summary: summaries[op],
    role: 'decide',
    body: op === 'consume' ? CallSchema : SignalsSchema,
    answers: { 200: DecisionSchema, 400: ProblemSchema },
    handle: async ({ body }) => jsonText(decisionText(await decide(guard, op, body as EventSignals))),
  }));
}

/** Runs one operation. The default action is that of the event format. */
export function decide(guard: Guard, op: OperationName, signals: EventSignals): Promise<Decision> {
  if (op !== 'consume') return guard[op](requestOf(signals));
  return guard.consume(requestOf(signals, 'api.heavy'), signals.cost ?? undefined);
}

/** What a guard is asked with, where the signals may name no action. */
export function requestOf(
  { action, account, ip, ua, device }: EventSignals,
  usualAction = 'auth.login',
): GuardRequest {
  return { action: action ?? usualAction, account, ip, ua, device };
}
