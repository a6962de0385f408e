import type { Admitted } from './admission.ts';

/** What of a response of `node:http`, or of a framework on it, is needed to see its end. */
export interface EndingResponse {
  readonly writableFinished: boolean;
  readonly destroyed: boolean;
  once(event: 'finish' | 'close', listener: () => void): unknown;
}

/**
 * Gives the slot back when the response has been handed over, or when its connection is gone. A response that never came
 * to its end says nothing about the dependency, so its time is not learned from.
 */
export function releaseOnEnd(response: EndingResponse, admitted: Admitted): void {
  const { release } = admitted;
  if (response.writableFinished) release('done');
  else if (response.destroyed) release('failed');
  response.once('finish', () => release('done'));
  response.once('close', () => release(response.writableFinished ? 'done' : 'failed'));
}

/** A signal that aborts when the connection goes before the response was handed over. */
export function callerOf(response: EndingResponse): AbortSignal {
  const caller = new AbortController();
  const leave = () => {
    if (!response.writableFinished) caller.abort();
  };
  if (response.destroyed) leave();
  response.once('close', leave);
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
