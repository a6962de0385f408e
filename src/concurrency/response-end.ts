import {
  type EndingResponse,
  isCutOff,
  isOver,
  onceClosed,
  onceFinished,
} from '../connections/response-close.ts';
import type { Admitted } from './admission.ts';

function isSent(response: EndingResponse): boolean {
  return response.writableFinished === true && !isCutOff(response);
}

/**
 * Gives the slot back when the response has been handed over, or when its connection is gone. A response that never came
 * to its end says nothing about the dependency, so its time is not learned from.
 */
export function releaseOnEnd(response: EndingResponse, admitted: Admitted): void {
  const { release } = admitted;
  if (isSent(response)) release('done');
  else if (isOver(response)) release('failed');
  onceFinished(response, () => release('done'));
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
 * is none. Returns the response to send in its place.
 */
export function releaseWithBody(response: Response, admitted: Admitted): Response {
  const { release } = admitted;
  if (response.body === null) {
    release('done');
    return response;
  }
  return new Response(watched(response.body, release), response);
}

function watched(body: ReadableStream<Uint8Array>, release: Admitted['release']): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        release('done');
        controller.close();
      } catch (error) {
        release('failed');
        controller.error(error);
      }
    },
    async cancel(reason) {
      release('failed');
      await reader.cancel(reason);
    },
  });
}
