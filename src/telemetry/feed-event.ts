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
  /** Which event of which feed it is, for those who come back; null for what is told to one subscriber alone. */
  readonly id: string | null;
  /** Milliseconds. */
  readonly t: number;
  readonly type: FeedType;
  /** JSON of the whole event: `seq`, `t` (ms by the clock of the node), `type` and its fields. */
  readonly json: string;
}

/** As server-sent events are written. */
export const sseText = ({ id, json }: FeedLine): string =>
  id === null ? `data: ${json}\n\n` : `id: ${id}\ndata: ${json}\n\n`;

/** Numbers begin anew with every start: only with the life of the feed do they say which event is meant. */
export const feedId = (life: string, seq: number): string => `${life}-${seq}`;

/** What somebody has seen who has seen nothing yet. It is the same in every life. */
const nothingSeen = '0';

/** The number of the event that an id names; null when the id is of another life, or of nobody knows which. */
export function seqIn(id: string, life: string): number | null {
  if (id === nothingSeen) return 0;
  const seq = id.startsWith(`${life}-`) ? id.slice(life.length + 1) : '';
  return /^[0-9]{1,15}$/.test(seq) ? Number(seq) : null;
}
