import Type from 'typebox';
import { ProblemSchema, problemAnswer } from '../http/problem.ts';
import type { Route } from '../route.ts';

/** What readiness is judged by. */
export interface ReadinessParts {
  /** Whether the store answers. */
  readonly storeAnswers: () => Promise<boolean>;
  readonly isDraining: () => boolean;
}

/** `GET /healthz`: the process runs. `GET /readyz`: it can decide on its store, and is not about to end. */
export function healthRoutes({ storeAnswers, isDraining }: ReadinessParts): Route[] {
  const Ok = Type.Object({ status: Type.Literal('ok') });
  return [
    {
      method: 'GET',
      path: '/healthz',
      summary: 'The process runs.',
      role: null,
      answers: { 200: Ok },
      handle: () => ({ status: 200, body: { status: 'ok' } }),
    },
    {
      method: 'GET',
      path: '/readyz',
      summary:
        'The store answers, and the service is not about to end. It decides all the same when it is not.',
      role: null,
      answers: { 200: Ok, 503: ProblemSchema },
      handle: async () => {
        if (isDraining()) return problemAnswer('DRAINING', 'The service is about to end.');
        if (!(await storeAnswers())) {
          return problemAnswer(
            'STORE_UNAVAILABLE',
            'The store does not answer; decisions are made without it.',
          );
        }
        return { status: 200, body: { status: 'ok' } };
      },
    },
  ];
}
