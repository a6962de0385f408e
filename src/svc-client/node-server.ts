import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { requestIdHeader } from '../identity/request-id.ts';
import { type Admission, acceptPassport, type Checkpoint } from './checkpoint.ts';
import { problemOf } from './denial.ts';
import { runInJourney } from './journey.ts';
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
 * Middleware for node:http, Express and everything that takes `(request, response, next)`. Refused requests are
 * answered here; admitted ones go on inside their journey, and their answer carries the receipt.
 */
export function passportMiddleware(
  checkpoint: Checkpoint,
): (request: IncomingMessage, response: ServerResponse, next: () => void) => void {
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
    runInJourney(admission.journey, next);
  };
}

/** Wraps a node:http request listener. */
export function withPassport(checkpoint: Checkpoint, listener: RequestListener): RequestListener {
  const middleware = passportMiddleware(checkpoint);
  return (request, response) => middleware(request, response, () => listener(request, response));
}
