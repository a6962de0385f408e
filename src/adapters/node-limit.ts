import { keepTick } from '../connections/kept-tick.ts';
import type { Limiter } from '../limits/index.ts';
import type { Answer, Awaitable } from './arrival.ts';
import { assertLimit } from './gate-options.ts';
import { LimitGate, type LimitOptions, type Passage } from './limit-gate.ts';
import {
  arrivalOfNode,
  type NodeRequest,
  type NodeResponse,
  onceEnded,
  setHeader,
  visitOf,
} from './node-messages.ts';
import { middlewareOf, type Next, type RefusalHandler } from './node-middleware.ts';
import type { RateLimit } from './rate-limit.ts';

/** How calls are limited where requests and responses are Node's. */
export interface NodeLimitOptions<Req extends NodeRequest, Res extends NodeResponse>
  extends LimitOptions<[request: Req, response: Res]> {
  /** Answers a refused call. Default: 429 with the problem as JSON. The headers are set already. */
  readonly handler?: RefusalHandler<Req, Res> | undefined;
  /** The property of the request that holds the {@link RateLimit}. Default `rateLimit`. */
  readonly requestPropertyName?: string | undefined;
}

/** Middleware that limits calls. */
export function limitNode<Req extends NodeRequest, Res extends NodeResponse>(
  limiter: Limiter,
  options: NodeLimitOptions<Req, Res>,
): (request: Req, response: Res, next: Next) => void {
  assertLimit(limiter, options, { handler: 'function', requestPropertyName: 'text' });
  keepTick();
  const gate = new LimitGate<[Req, Res]>(limiter, options, (_, response) => visitOf(response).caller);
  const keep = keeperOf(options.requestPropertyName ?? usualName);

  function enter(request: Req, response: Res): Awaitable<Answer | null> {
    const passage = gate.pass(arrivalOfNode(request, response), request, response);
    return passage instanceof Promise
      ? passage.then((later) => mark(request, response, later))
      : mark(request, response, passage);
  }

  function mark(request: Req, response: Res, passage: Passage | null) {
    if (passage === null) return null;
    if (!response.headersSent) gate.writeHeaders(passage, response, setHeader);
    keep(request, passage.rateLimit);
    if (gate.followsCalls && passage.refusal === null) {
      onceEnded(response, (end) => gate.end(passage, end, request, response));
    }
    return passage.refusal;
  }

  return middlewareOf(enter, options.handler);
}

const usualName = 'rateLimit';

/**
 * The usual name is written out: an object that is given one more property by a name that is looked up becomes a table for
 * good, which is dear wherever V8 would keep its hidden class (decision 0014).
 */
function keeperOf(name: string): (request: object, rateLimit: RateLimit) => void {
  if (name === usualName) {
    return (request: { rateLimit?: RateLimit }, rateLimit) => {
      request.rateLimit = rateLimit;
    };
  }
  return (request, rateLimit) => {
    (request as Record<string, RateLimit>)[name] = rateLimit;
  };
}

/** What {@link limitNode} knows of the call; undefined when it was skipped or the property has another name. */
export function rateLimitOf(request: object): RateLimit | undefined {
  return 'rateLimit' in request ? (request.rateLimit as RateLimit) : undefined;
}
