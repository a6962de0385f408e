import type { EventEmitter } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { assertKind } from '../core/options.ts';
import { requestIdHeader } from '../identity/request-id.ts';
import { type Admission, acceptPassport, assertCheckpoint, type Checkpoint } from './checkpoint.ts';
import { problemOf } from './denial.ts';
import { type Journey, runInJourney } from './journey.ts';
import { RECEIPT_HEADER } from './receipt.ts';

/** The receipt is written when the headers go out, not before: until then the handler may still use retries. */
function stampOnHeaders(response: ServerResponse, admission: Extract<Admission, { admitted: true }>): void {
  const writeHead = response.writeHead;
  response.writeHead = function stamped(this: ServerResponse, ...args: Parameters<typeof writeHead>) {
    if (!this.headersSent) {
      const receipt = admission.receipt();
      if (receipt !== null) this.setHeader(RECEIPT_HEADER, receipt);
    }
    return writeHead.apply(this, args);
  } as typeof writeHead;
}

/**
 * Events come from the connection, which is in no journey: a handler that reads its request by `on('end')` would make its calls
 * without a passport's path, deadline and retries, and a loop would go round unseen.
 */
function tellWithin(journey: Journey, emitter: EventEmitter): void {
  const emit = emitter.emit;
  emitter.emit = function within(this: EventEmitter, ...args: Parameters<typeof emit>) {
    return runInJourney(journey, () => emit.apply(this, args));
  };
}

/**
 * Middleware for node:http, Express and everything that takes `(request, response, next)`. Refused requests are
 * answered here; admitted ones go on inside their journey, and their answer carries the receipt.
 *
 * @throws Fault `CONFIG_INVALID` when the checkpoint is none.
 */
export function passportMiddleware(
  checkpoint: Checkpoint,
): (request: IncomingMessage, response: ServerResponse, next: () => void) => void {
  assertCheckpoint(checkpoint);
  return (request, response, next) => {
    const admission = acceptPassport(request.headers, checkpoint);
    if (!admission.admitted) {
      const problem = problemOf(admission.denial, admission.requestId);
      response.setHeader(RECEIPT_HEADER, admission.receipt);
      response.writeHead(problem.status, problem.headers).end(problem.body);
      return;
    }
    response.setHeader(requestIdHeader, admission.journey.requestId);
    stampOnHeaders(response, admission);
    tellWithin(admission.journey, request);
    tellWithin(admission.journey, response);
    runInJourney(admission.journey, next);
  };
}

/**
 * Wraps a node:http request listener.
 *
 * @throws Fault `CONFIG_INVALID` when the checkpoint is none, or the listener no function.
 */
export function withPassport(checkpoint: Checkpoint, listener: RequestListener): RequestListener {
  const middleware = passportMiddleware(checkpoint);
  assertKind('listener', listener, 'function');
  return (request, response) => middleware(request, response, () => listener(request, response));
}
