import { followBody } from '../concurrency/response-end.ts';
import type { AnswerEnd, Awaitable } from './arrival.ts';

/**
 * Runs a handler whose call somebody follows. A handler that throws has ended its call too, with the status that servers
 * give it: `tell` hears it before the error goes on.
 *
 * @param caller aborts when the client goes away
 */
export async function runOrEnd<T>(
  run: () => Awaitable<T>,
  caller: AbortSignal,
  tell: (end: AnswerEnd) => Promise<void>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    await tell(endOf(500, caller));
    throw error;
  }
}

/** Nobody hears the answer of a handler whose client had gone before. */
function endOf(status: number, caller: AbortSignal): AnswerEnd {
  return caller.aborted ? { status: null, isWhole: false } : { status, isWhole: true };
}

/**
 * Tells once how the call of an answer has ended: when that was read to its end, or nobody wants the rest of it. Returns
 * the response to send in its place.
 *
 * @param caller aborts when the client goes away
 */
export function followAnswer(
  response: Response,
  method: string,
  caller: AbortSignal,
  tell: (end: AnswerEnd) => Promise<void>,
): Response {
  const { status } = response;
  let isTold = false;
  const end = (ended: AnswerEnd) => {
    // Who tells never fails.
    if (!isTold) void tell(ended);
    isTold = true;
  };
  // Servers and frameworks drop the body of an answer to HEAD without a word to it.
  if (caller.aborted || method === 'HEAD') end(endOf(status, caller));
  else caller.addEventListener('abort', () => end({ status, isWhole: false }), { once: true });
  return isTold ? response : followBody(response, (isWhole) => end({ status, isWhole }));
}
