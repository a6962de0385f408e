import type { Limiter } from '../limits/index.ts';
import type { Answer } from './arrival.ts';
import { LimitGate, type LimitOptions, type RateLimit } from './limit-gate.ts';
import {
  arrivalOfNode,
  type NodeRequest,
  type NodeResponse,
  onceEnded,
  sendAnswer,
  setHeaders,
} from './node-messages.ts';

/** Goes on to the handler, or to the error handling when it gets an error. */
export type Next = (error?: unknown) => void;

/** How calls are limited where requests and responses are Node's. */
export interface NodeLimitOptions<Req extends NodeRequest, Res extends NodeResponse>
  extends LimitOptions<[request: Req, response: Res]> {
  /** Answers a refused call. Default: 429 with the problem as JSON. The headers are set already. */
  readonly handler?: ((request: Req, response: Res, next: Next, refusal: Answer) => void) | undefined;
  /** The property of the request that holds the {@link RateLimit}. Default `rateLimit`. */
  readonly requestPropertyName?: string | undefined;
}

/** Middleware as Connect had it. `next` is called at most once, and not for a refused call. */
export function limitNode<Req extends NodeRequest, Res extends NodeResponse>(
  limiter: Limiter,
  options: NodeLimitOptions<Req, Res>,
): (request: Req, response: Res, next: Next) => void {
  const gate = new LimitGate<[Req, Res]>(limiter, options);
  const { requestPropertyName = 'rateLimit', handler = refuse } = options;

  async function enter(request: Req, response: Res): Promise<Answer | null> {
    const passage = await gate.pass(arrivalOfNode(request), request, response);
    if (passage === null) return null;
    setHeaders(response, passage.headers);
    Reflect.set(request, requestPropertyName, passage.rateLimit);
    if (gate.followsCalls && passage.refusal === null) {
      onceEnded(response, (status) => gate.end(passage, status, request, response));
    }
    return passage.refusal;
  }

  return (request, response, next) => {
    void enter(request, response).then(
      (refusal) => (refusal === null ? next() : handler(request, response, next, refusal)),
      next,
    );
  };
}

function refuse(_request: NodeRequest, response: NodeResponse, _next: Next, refusal: Answer): void {
  sendAnswer(response, refusal);
}

/** What {@link limitNode} knows of the call; undefined when it was skipped or the property has another name. */
export function rateLimitOf(request: object): RateLimit | undefined {
  return 'rateLimit' in request ? (request.rateLimit as RateLimit) : undefined;
}
