import { nodeClock } from '../api/service-clock.ts';
import { createCell } from '../state/cell.ts';
import type { FromFeed, Link } from './feed-messages.ts';
import { emptyLive, type LiveState, withBatch } from './live-state.ts';

/** The live feed as views see it. */
export interface FeedView {
  readonly link: Link;
  readonly live: LiveState;
}

export const feed = createCell<FeedView>({ link: 'connecting', live: emptyLive });

let worker: Worker | null = null;

/** Follows the service's feed until {@link stopFeed}. */
export function startFeed(token: string | null): void {
  stopFeed();
  worker = new Worker(new URL('./feed-worker.ts', import.meta.url), { type: 'module' });
  worker.addEventListener('message', (event: MessageEvent<FromFeed>) => receive(event.data));
  // A page that was open during an upgrade looks for a program that the service has no more.
  worker.addEventListener('error', () => feed.set({ ...feed.get(), link: 'refused' }));
  worker.postMessage({ url: new URL('v1/events', document.baseURI).href, token });
}

export function stopFeed(): void {
  worker?.terminate();
  worker = null;
  feed.set({ link: 'connecting', live: emptyLive });
}

function receive(message: FromFeed): void {
  const view = feed.get();
  if (message.kind === 'link') feed.set({ ...view, link: message.link });
  else feed.set({ ...view, live: withBatch(view.live, message.batch, nodeClock.now()) });
}
