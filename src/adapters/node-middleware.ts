import type { Answer, Awaitable } from './arrival.ts';
import { type NodeRequest, type NodeResponse, sendAnswer } from './node-messages.ts';
import { errorOf } from './thrown.ts';

/** Goes on to the handler, or to the error handling when it gets an error. */
export type Next = (error?: unknown) => void;

/** Answers a call that is refused. The headers are set already. What it throws, now or later, goes to `next`. */
export type RefusalHandler<Req, Res, Refusal = Answer> = (
  request: Req,
  response: Res,
  next: Next,
  refusal: Refusal,
) => unknown;

/** Lets a call in, or says how it is refused. */
type Enter<Req, Res> = (request: Req, response: Res) => Awaitable<Answer | null>;

/**
 * Middleware as Connect had it. `next` is called at most once, and not for a refused call. A call that need not wait to
 * be let in does not: waiting for a promise would cost more than the decision.
 */
export function middlewareOf<Req extends NodeRequest, Res extends NodeResponse>(
  enter: Enter<Req, Res>,
  handler: RefusalHandler<Req, Res> = refuse,
): (request: Req, response: Res, next: Next) => void {
  return (request, response, next) => {
    let refusal: Awaitable<Answer | null>;
    try {
      refusal = enter(request, response);
    } catch (error) {
      next(errorOf(error));
      return;
    }
    if (refusal === null) next();
    else if (refusal instanceof Promise) goOnLater(refusal, request, response, next);
    else refuseBy(handler, request, response, next, refusal);
  };

  function goOnLater(refusal: Promise<Answer | null>, request: Req, response: Res, next: Next): void {
    void refusal.then(
      (known) => (known === null ? next() : refuseBy(handler, request, response, next, known)),
      (error) => next(errorOf(error)),
    );
  }
}

/** Nobody waits for a handler: what it throws would end the process. */
export function refuseBy<Req, Res, Refusal>(
  handler: RefusalHandler<Req, Res, Refusal>,
  request: Req,
  response: Res,
  next: Next,
  refusal: Refusal,
): void {
  try {
    const answering = handler(request, response, next, refusal);
    if (answering instanceof Promise) answering.catch((error) => next(errorOf(error)));
  } catch (error) {
    next(errorOf(error));
  }
}

function refuse(_request: NodeRequest, response: NodeResponse, _next: Next, refusal: Answer): void {
  sendAnswer(response, refusal);
}
