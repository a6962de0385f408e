/** What an event of the feed is about. */
export const feedTypes = [
  'decision',
  'block',
  'mode',
  'breaker',
  'critical',
  'cap',
  'degradedEpoch',
  'corrupt',
  'limit',
  'scenario',
  'kratos',
  'audit',
  'pin',
  'config',
  'loop',
  'sampled',
  'gap',
  'dropped',
] as const;
export type FeedType = (typeof feedTypes)[number];

/** An event as subscribers see it. */
export interface FeedEvent {
  /** Counts up by one; a gap means that events are missing. */
  readonly seq: number;
  /** When it was published, in ms by the clock of the node. */
  readonly t: number;
  readonly type: FeedType;
}

/** The fields of an event: plain data without identifiers. */
export type FeedFields = Readonly<Record<string, unknown>>;

/** An event with its text, made once for all subscribers. */
export interface FeedLine {
  readonly seq: number;
  readonly type: FeedType;
  /** JSON of the whole event. */
  readonly json: string;
}

/** As server-sent events are written. */
export const sseText = ({ seq, json }: FeedLine): string =>
  seq === 0 ? `data: ${json}\n\n` : `id: ${seq}\ndata: ${json}\n\n`;
