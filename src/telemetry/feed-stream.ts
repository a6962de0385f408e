import { Readable } from 'node:stream';
import { sseText } from './feed-event.ts';
import type { FeedSubscription } from './feed-subscription.ts';

const aliveEveryMs = 15_000;

/**
 * A subscription as a stream of server-sent events. It reads on only when the stream is read, so a slow client fills
 * its queue and nothing else. Comments keep proxies from closing a quiet stream.
 *
 * @param signal ends the stream when the client goes away
 */
export function feedStream(subscription: FeedSubscription, signal?: AbortSignal): Readable {
  let reading = false;
  const stream = new Readable({
    highWaterMark: 16 * 1024,
    read() {
      if (reading) return;
      reading = true;
      subscription.ready().then(
        () => {
          reading = false;
          const text = subscription.take().map(sseText).join('');
          if (text !== '') stream.push(text);
          if (subscription.ended !== null) stream.push(null);
          else if (text === '') stream.read(0);
        },
        (cause: unknown) => stream.destroy(cause instanceof Error ? cause : undefined),
      );
    },
    destroy(error, done) {
      clearInterval(alive);
      signal?.removeEventListener('abort', leave);
      subscription.leave();
      done(error);
    },
  });
  const alive = setInterval(() => {
    if (stream.readableLength === 0 && subscription.ended === null) stream.push(': alive\n\n');
  }, aliveEveryMs);
  alive.unref();
  const leave = () => stream.destroy();
  signal?.addEventListener('abort', leave, { once: true });
  if (signal?.aborted) leave();
  stream.push('retry: 2000\n\n');
  return stream;
}
