/** What an event of the feed is about. */
export type FeedType =
  | 'decision'
  | 'block'
  | 'mode'
  | 'breaker'
  | 'critical'
  | 'cap'
  | 'degradedEpoch'
  | 'corrupt'
  | 'limit'
  | 'scenario'
  | 'kratos'
  | 'audit'
  | 'pin'
  | 'config'
  | 'loop'
  | 'sampled'
  | 'gap'
  | 'dropped';

/** The fields of an event: plain data without identifiers. */
export type FeedFields = Readonly<Record<string, unknown>>;

/** An event with its text, made once for all subscribers. */
export interface FeedLine {
  /** Counts up by one, so that a gap shows; 0 for what is told to one subscriber alone. */
  readonly seq: number;
  /** Milliseconds. */
  readonly t: number;
  readonly type: FeedType;
  /** JSON of the whole event: `seq`, `t` (ms by the clock of the node), `type` and its fields. */
  readonly json: string;
}

/** As server-sent events are written. */
export const sseText = ({ seq, json }: FeedLine): string =>
  seq === 0 ? `data: ${json}\n\n` : `id: ${seq}\ndata: ${json}\n\n`;
