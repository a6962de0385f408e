import type { Admitted, Caps } from '../concurrency/index.ts';
import type { Answer } from './arrival.ts';
import { CapGate, type CapGateOptions } from './cap-gate.ts';
import { assertCap } from './gate-options.ts';
import { arrivalOfNode, type NodeRequest, type NodeResponse, setHeaders, visitOf } from './node-messages.ts';
import { middlewareOf, type Next, type RefusalHandler } from './node-middleware.ts';

/** How calls are capped where requests and responses are Node's. */
export interface NodeCapOptions<Req extends NodeRequest, Res extends NodeResponse>
  extends CapGateOptions<[request: Req, response: Res]> {
  /** Answers a call that gets no slot. Default: 503 with the problem as JSON. The headers are set already. */
  readonly handler?: RefusalHandler<Req, Res> | undefined;
}

/**
 * Middleware that caps how many calls run at once. The slot is back when the answer has been sent, or the connection is
 * gone: of a handler that works on after that, nothing here can know.
 */
export function capNode<Req extends NodeRequest, Res extends NodeResponse>(
  caps: Caps,
  options: NodeCapOptions<Req, Res>,
): (request: Req, response: Res, next: Next) => void {
  assertCap(caps, options, { handler: 'function' });
  const gate = new CapGate<[Req, Res]>(caps, options);

  async function enter(request: Req, response: Res): Promise<Answer | null> {
    const { caller, ended } = visitOf(response);
    const passage = await gate.pass(arrivalOfNode(request, response), caller, request, response);
    if (passage === null) return null;
    setHeaders(response, passage.headers);
    if (passage.slot === null) return passage.refusal;
    void ended.then(passage.slot.release);
    (request as { slot?: Admitted }).slot = passage.slot;
    return null;
  }

  return middlewareOf(enter, options.handler);
}

/**
 * The slot that a call runs in; undefined where it took none. Its `signal` aborts when the client goes away or the call
 * overruns: for the query that the handler makes.
 */
export function slotOf(request: object): Admitted | undefined {
  return 'slot' in request ? (request.slot as Admitted) : undefined;
}
