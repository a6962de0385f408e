import {
  type EndingResponse,
  isCutOff,
  isOver,
  onceClosed,
  onceFinished,
} from '../connections/response-close.ts';
import type { Admitted, CallOutcome } from './admission.ts';

function isSent(response: EndingResponse): boolean {
  return response.writableFinished === true && !isCutOff(response);
}

/** How a call has ended that was answered with this status. */
export function outcomeOf(status: number): CallOutcome {
  return status >= 500 ? 'errored' : 'done';
}

/**
 * Gives the slot back when the response has been handed over, `errored` where its status is 5xx, or when its connection is gone. A
 * response that never came to its end says nothing about the dependency, so its time is not learned from.
 */
export function releaseOnEnd(response: EndingResponse, admitted: Admitted): void {
  const { release } = admitted;
  const releaseSent = () => release(outcomeOf(response.statusCode ?? 200));
  if (isSent(response)) releaseSent();
  else if (isOver(response)) release('failed');
  onceFinished(response, releaseSent);
  onceClosed(response, () => release('failed'));
}

/** A signal that aborts when the connection goes before the response was handed over. */
export function callerOf(response: EndingResponse): AbortSignal {
  const caller = new AbortController();
  let sent = isSent(response);
  const leave = () => {
    if (!sent) caller.abort();
  };
  if (isOver(response)) leave();
  onceFinished(response, () => {
    sent = true;
  });
  onceClosed(response, leave);
  return caller.signal;
}

/**
 * Gives the slot back when the body of a `fetch` response was read to its end, was cancelled or failed; at once when there
 * is none. Of a response of the status 5xx that was read it is given back as `errored`. Returns the response to send in its place.
 */
export function releaseWithBody(response: Response, admitted: Admitted): Response {
  const { release } = admitted;
  const outcome = outcomeOf(response.status);
  return followBody(response, (isWhole) => release(isWhole ? outcome : 'failed'));
}

/**
 * Tells when the body of a `fetch` response was read to its end, or that it was not; at once when there is none. May tell
 * twice. Returns the response to send in its place.
 */
export function followBody(response: Response, tell: (isWhole: boolean) => void): Response {
  if (response.body !== null) return new Response(followed(response.body, tell), response);
  tell(true);
  return response;
}

function followed(
  body: ReadableStream<Uint8Array>,
  tell: (isWhole: boolean) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        tell(true);
        controller.close();
      } catch (error) {
        tell(false);
        controller.error(error);
      }
    },
    async cancel(reason) {
      tell(false);
      await reader.cancel(reason);
    },
  });
}
