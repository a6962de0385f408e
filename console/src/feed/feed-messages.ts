import type { FeedBatch } from './tally.ts';

/** What the page tells the worker that reads the feed, once. */
export interface ToFeed {
  readonly url: string;
  readonly token: string | null;
}

/** How the connection stands. `refused`: the token may not listen, as things are, and is tried again; or there is no worker. */
export type Link = 'connecting' | 'open' | 'waiting' | 'refused';

export type FromFeed =
  | { readonly kind: 'link'; readonly link: Link; readonly status: number; readonly waitMs?: number }
  | { readonly kind: 'batch'; readonly batch: FeedBatch };
