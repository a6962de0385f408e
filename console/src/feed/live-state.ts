import type { FeedLine } from './feed-line.ts';
import type { FeedBatch, MinuteNames, SecondCount } from './tally.ts';

/** What the page knows of the last minutes. Replaced, never changed, so that views can compare by identity. */
export interface LiveState {
  /** Seconds in order, without gaps being filled. */
  readonly seconds: readonly SecondCount[];
  /** Counts of rules and scopes by minute, oldest first. */
  readonly minutes: readonly MinuteNames[];
  /** Newest first. */
  readonly lines: readonly FeedLine[];
  /** Newest first. */
  readonly blocks: readonly FeedLine[];
  /** Newest first. */
  readonly notable: readonly FeedLine[];
  readonly received: number;
  /** Lines a second; what of them is shown, and what the service left out. */
  readonly pace: Pace;
}

export interface Pace {
  /** Over the last seconds that are whole, with what was left out of the feed, by the times of the lines: what happened before the page was opened arrives all at once. */
  readonly perSecond: number;
  /** True while more lines arrive than the list shows; one full batch, as after connecting, is none yet. */
  readonly isSampled: boolean;
  /** Whether the last batch had more than the list shows. */
  readonly isCrowded: boolean;
  readonly unshown: number;
  /** Of what the chart can show: what happened before is not told of. */
  readonly withheld: number;
}

export const KEPT_SECONDS = 15 * 60;
const KEPT_MINUTES = 15;
const KEPT_LINES = 120;
const KEPT_BLOCKS = 60;
const KEPT_NOTABLE = 200;
/** Enough of them that the shown pace does not jump, few enough that it follows. */
const PACE_SECONDS = 4;
/** So old is a second before all that the service has left out of it is known. */
const TOLD_AFTER_SECONDS = 2;

export const emptyLive: LiveState = {
  seconds: [],
  minutes: [],
  lines: [],
  blocks: [],
  notable: [],
  received: 0,
  pace: { perSecond: 0, isSampled: false, isCrowded: false, unshown: 0, withheld: 0 },
};

/**
 * Takes a batch in.
 *
 * @param nowMs by the service's clock
 */
export function withBatch(state: LiveState, batch: FeedBatch, nowMs: number): LiveState {
  const seconds = withinKept(
    batch.received === 0 ? state.seconds : mergeSeconds(state.seconds, batch.seconds),
    nowMs,
  );
  const withheld = withheldLines(batch.seconds, nowMs);
  const pace: Pace = {
    perSecond: linesPerSecond(seconds, nowMs),
    isSampled: withheld > 0 || (batch.unshown > 0 && state.pace.isCrowded),
    isCrowded: batch.unshown > 0,
    unshown: state.pace.unshown + batch.unshown,
    withheld: state.pace.withheld + withheld,
  };
  const nowMinute = Math.floor(nowMs / 60_000);
  if (batch.received === 0) {
    return { ...state, pace, seconds, minutes: keptMinutes(state.minutes, nowMinute) };
  }
  return {
    seconds,
    minutes: keptMinutes(mergeMinutes(state.minutes, batch.minutes), nowMinute),
    lines: newestFirst(batch.shown, state.lines, KEPT_LINES),
    blocks: newestFirst(batch.blocks, state.blocks, KEPT_BLOCKS),
    notable: newestFirst(batch.notable, state.notable, KEPT_NOTABLE),
    received: state.received + batch.received,
    pace,
  };
}

/** What was left out of the feed has happened all the same. */
function linesPerSecond(seconds: readonly SecondCount[], nowMs: number): number {
  const now = Math.floor(nowMs / 1_000);
  const isFlood = seconds.some(
    ({ second, withheldLines }) => second >= now - PACE_SECONDS - TOLD_AFTER_SECONDS && withheldLines > 0,
  );
  const end = isFlood ? now - TOLD_AFTER_SECONDS : now;
  const recent = seconds.filter(({ second }) => second >= end - PACE_SECONDS && second < end);
  return recent.reduce((sum, { lines, withheldLines }) => sum + lines + withheldLines, 0) / PACE_SECONDS;
}

function withheldLines(seconds: readonly SecondCount[], nowMs: number): number {
  const kept = seconds.filter(({ second }) => second >= oldestKept(nowMs));
  return kept.reduce((sum, bin) => sum + bin.withheldLines, 0);
}

function newestFirst(
  fresh: readonly FeedLine[],
  kept: readonly FeedLine[],
  most: number,
): readonly FeedLine[] {
  return fresh.length === 0 ? kept : [...fresh].reverse().concat(kept).slice(0, most);
}

function mergeSeconds(kept: readonly SecondCount[], fresh: readonly SecondCount[]): SecondCount[] {
  const bySecond = new Map(kept.map((bin) => [bin.second, bin]));
  for (const bin of fresh) {
    const old = bySecond.get(bin.second);
    bySecond.set(bin.second, old === undefined ? bin : sumOf(old, bin));
  }
  return [...bySecond.values()].sort((a, b) => a.second - b.second);
}

const sumOf = (a: SecondCount, b: SecondCount): SecondCount => ({
  second: a.second,
  lines: a.lines + b.lines,
  allow: a.allow + b.allow,
  soft: a.soft + b.soft,
  hard: a.hard + b.hard,
  withheld: a.withheld + b.withheld,
  withheldLines: a.withheldLines + b.withheldLines,
  topLevel: Math.max(a.topLevel, b.topLevel),
});

const oldestKept = (nowMs: number): number => Math.floor(nowMs / 1_000) - KEPT_SECONDS;

function withinKept(seconds: readonly SecondCount[], nowMs: number): readonly SecondCount[] {
  const oldest = oldestKept(nowMs);
  const from = seconds.findIndex(({ second }) => second >= oldest);
  if (from === 0) return seconds;
  return from === -1 ? [] : seconds.slice(from);
}

function mergeMinutes(kept: readonly MinuteNames[], fresh: readonly MinuteNames[]): readonly MinuteNames[] {
  const byMinute = new Map(kept.map((names) => [names.minute, names]));
  for (const names of fresh) {
    const old = byMinute.get(names.minute);
    byMinute.set(names.minute, old === undefined ? names : sumOfNames(old, names));
  }
  return [...byMinute.values()].sort((a, b) => a.minute - b.minute);
}

/** The same list where nothing of it is old. */
function keptMinutes(minutes: readonly MinuteNames[], nowMinute: number): readonly MinuteNames[] {
  const oldest = nowMinute - KEPT_MINUTES + 1;
  return minutes.every(({ minute }) => minute >= oldest)
    ? minutes
    : minutes.filter(({ minute }) => minute >= oldest);
}

const sumOfNames = (a: MinuteNames, b: MinuteNames): MinuteNames => ({
  minute: a.minute,
  rules: addNames(a.rules, b.rules),
  scopes: addNames(a.scopes, b.scopes),
});

type Names = Readonly<Record<string, number>>;

function addNames(a: Names, b: Names): Names {
  const sum: Record<string, number> = { ...a };
  for (const [name, count] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

/** Rules or scopes of the kept minutes, most frequent first. */
export function topNames(
  minutes: readonly MinuteNames[],
  kind: 'rules' | 'scopes',
  most = 8,
): readonly (readonly [string, number])[] {
  const sum = minutes.reduce<Names>((names, minute) => addNames(names, minute[kind]), {});
  return Object.entries(sum)
    .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
    .slice(0, most);
}

/** Columns of a chart: time in seconds, and the stacked counts from the ground up. */
export interface ChartColumns {
  readonly times: number[];
  readonly hard: number[];
  readonly soft: number[];
  readonly allow: number[];
  readonly withheld: number[];
  readonly topLevel: (number | null)[];
}

/** The last `spanSeconds` in bins of `binSeconds`, empty ones included. */
export function chartColumns(
  seconds: readonly SecondCount[],
  nowMs: number,
  spanSeconds: number,
  binSeconds: number,
): ChartColumns {
  const lastBin = Math.floor(nowMs / 1_000 / binSeconds);
  const count = Math.ceil(spanSeconds / binSeconds);
  const firstBin = lastBin - count + 1;
  const zeros = () => new Array<number>(count).fill(0);
  const columns: ChartColumns = {
    times: Array.from({ length: count }, (_, index) => (firstBin + index) * binSeconds),
    hard: zeros(),
    soft: zeros(),
    allow: zeros(),
    withheld: zeros(),
    topLevel: new Array<number | null>(count).fill(null),
  };
  for (const { second, allow, soft, hard, withheld, topLevel } of seconds) {
    const index = Math.floor(second / binSeconds) - firstBin;
    if (index < 0 || index >= count) continue;
    columns.hard[index] = (columns.hard[index] ?? 0) + hard;
    columns.soft[index] = (columns.soft[index] ?? 0) + soft;
    columns.allow[index] = (columns.allow[index] ?? 0) + allow;
    columns.withheld[index] = (columns.withheld[index] ?? 0) + withheld;
    if (topLevel > 0) columns.topLevel[index] = Math.max(columns.topLevel[index] ?? 0, topLevel);
  }
  return columns;
}
