import { assertKind } from '../core/options.ts';
import { requestIdHeader } from '../identity/request-id.ts';
import { acceptPassport, assertCheckpoint, type Checkpoint } from './checkpoint.ts';
import { problemOf } from './denial.ts';
import { runInJourney } from './journey.ts';
import { RECEIPT_HEADER } from './receipt.ts';

/** A handler as Hono, Deno and service workers have it. */
export type FetchHandler = (request: Request) => Response | Promise<Response>;

const SWITCHING_PROTOCOLS = 101;

/**
 * Wraps a fetch-style handler, as `withPassport` does for node:http.
 *
 * @throws Fault `CONFIG_INVALID` when the checkpoint is none, or the handler no function.
 */
export function withPassportFetch(
  checkpoint: Checkpoint,
  handler: FetchHandler,
): (request: Request) => Promise<Response> {
  assertCheckpoint(checkpoint);
  assertKind('handler', handler, 'function');
  return async (request) => {
    const admission = acceptPassport(request.headers, checkpoint);
    if (!admission.admitted) {
      const { status, headers, body } = problemOf(admission.denial, admission.requestId);
      return new Response(body, { status, headers: { ...headers, [RECEIPT_HEADER]: admission.receipt } });
    }
    const response = await runInJourney(admission.journey, () => handler(request));
    // Such an answer cannot be made anew: who makes another protocol of the connection knows it by its object.
    if (response.status === SWITCHING_PROTOCOLS) return response;
    const headers = new Headers(response.headers);
    headers.set(requestIdHeader, admission.journey.requestId);
    const receipt = admission.receipt();
    if (receipt !== null) headers.set(RECEIPT_HEADER, receipt);
    return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
  };
}
