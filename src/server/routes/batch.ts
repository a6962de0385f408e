import Type from 'typebox';
import type { OperationName } from '../../guard/engine.ts';
import type { Guard } from '../../guard/guard.ts';
import { isMisuse, ProblemSchema, problemBody } from '../http/problem.ts';
import { jsonText } from '../http/send-answer.ts';
import { listBodyBytes, type Route } from '../route.ts';
import { chainsOf } from './batch-order.ts';
import { decisionText } from './decision-text.ts';
import { decide, type EventSignals } from './decisions.ts';
import { BatchItemSchema, DecisionSchema } from './schemas.ts';

/** Items of one batch. */
const mostItems = 1_000;
/** Chains under way at once: enough to share commits of the store, few enough to leave room for others. */
const chainsAtOnce = 64;

type Item = EventSignals & { readonly op: OperationName };

/** `POST /v1/batch`: decisions in the order of the items. An item the engine refuses has a problem in its place. */
export function batchRoutes(guard: Guard): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/batch',
      summary: `Up to ${mostItems} operations. They act as if they came one after the other.`,
      role: 'decide',
      bodyBytes: listBodyBytes,
      body: Type.Array(BatchItemSchema, { maxItems: mostItems }),
      answers: {
        200: Type.Array(Type.Union([DecisionSchema, ProblemSchema])),
        400: ProblemSchema,
        413: ProblemSchema,
      },
      handle: async ({ body }) => jsonText(`[${(await runAll(guard, body as readonly Item[])).join(',')}]`),
    },
  ];
}

async function runAll(guard: Guard, items: readonly Item[]): Promise<readonly string[]> {
  const texts: string[] = new Array(items.length).fill('');
  const chains = chainsOf(items).values();
  const work = async () => {
    for (const chain of chains) {
      for (const index of chain) texts[index] = await answerTo(guard, items[index] as Item);
    }
  };
  await Promise.all(Array.from({ length: chainsAtOnce }, work));
  return texts;
}

async function answerTo(guard: Guard, { op, ...signals }: Item): Promise<string> {
  try {
    return decisionText(await decide(guard, op, signals));
  } catch (error) {
    if (!isMisuse(error)) throw error;
    return JSON.stringify(problemBody(error.code, error.message));
  }
}
