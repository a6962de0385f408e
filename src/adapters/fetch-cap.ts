import { type Admitted, releaseWithBody } from '../concurrency/index.ts';
import { outcomeOf } from '../concurrency/response-end.ts';
import type { Awaitable } from './arrival.ts';

/**
 * Runs a handler of the `fetch` style in its slot, which is back when the handler has failed, or its answer has been read
 * to the end or dropped. Until the handler has answered the slot stays taken even when the client is gone: what
 * works on still burdens the service.
 *
 * @param caller aborts when the client goes away; after that nobody reads the answer
 */
export async function answerInSlot(
  slot: Admitted,
  method: string,
  caller: AbortSignal,
  answer: () => Awaitable<Response>,
): Promise<Response> {
  try {
    const response = await answer();
    if (caller.aborted) slot.release('failed');
    // Servers and frameworks drop the body of such an answer without a word to it.
    else if (method === 'HEAD') slot.release(outcomeOf(response.status));
    else caller.addEventListener('abort', () => slot.release('failed'), { once: true });
    return releaseWithBody(response, slot);
  } catch (error) {
    slot.release(caller.aborted ? 'failed' : 'errored');
    throw error;
  }
}
