/** A line of the service's live feed, read loosely: a console must survive a service that says more than it knows. */
export interface FeedLine {
  readonly seq: number;
  /** Milliseconds, by the service's clock. */
  readonly t: number;
  readonly type: string;
  readonly [field: string]: unknown;
}

export type Outcome = 'ALLOW' | 'SOFT_BLOCK' | 'HARD_BLOCK';

/** What the console shows of a decision. */
export interface ShownDecision {
  readonly outcome: Outcome;
  readonly level: number;
  readonly until: number;
  readonly rule: string | null;
  readonly scope: string | null;
  readonly mode: string;
  readonly reasons: readonly ShownReason[];
  /** What rules in shadow would have said. */
  readonly shadow: readonly ShownReason[];
}

export interface ShownReason {
  readonly rule: string;
  readonly scope: string;
}

/** A feed line out of the text after `data:`; null when it is none. */
export function readFeedLine(text: string): FeedLine | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return null;
    throw cause;
  }
  if (!isObject(value) || typeof value.type !== 'string') return null;
  const { seq, t, type } = value;
  return {
    ...value,
    type,
    seq: typeof seq === 'number' ? seq : 0,
    t: typeof t === 'number' ? t : 0,
  };
}

/** The decision a line carries, or null. */
export function decisionOf(line: FeedLine): ShownDecision | null {
  const { decision } = line;
  if (line.type !== 'decision' || !isObject(decision)) return null;
  const { outcome, level, until, rule, scope, mode, reasons, shadow } = decision;
  if (outcome !== 'ALLOW' && outcome !== 'SOFT_BLOCK' && outcome !== 'HARD_BLOCK') return null;
  return {
    outcome,
    level: numberOf(level),
    until: numberOf(until),
    rule: textOf(rule),
    scope: textOf(scope),
    mode: textOf(mode) ?? 'NORMAL',
    reasons: reasonsIn(reasons),
    shadow: reasonsIn(shadow),
  };
}

/** Names a line in a list: lines about the feed itself have no number of their own. */
export const lineKey = ({ seq, type, t }: FeedLine): string => (seq > 0 ? String(seq) : `${type}-${t}`);

const reasonsIn = (value: unknown): ShownReason[] => (Array.isArray(value) ? value.flatMap(reasonOf) : []);

function reasonOf(value: unknown): ShownReason[] {
  if (!isObject(value)) return [];
  const rule = textOf(value.rule);
  const scope = textOf(value.scope);
  return rule === null || scope === null ? [] : [{ rule, scope }];
}

type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : 0;
