import { DAY_MS } from '../../core/duration.ts';
import type { CredentialPolicy, LadderPolicy, Policy, RatePolicy, ScorePolicy } from '../../core/policy.ts';
import type { StoredRecord } from '../../core/records.ts';
import type { Standing } from '../../core/standing.ts';
import type {
  AccountRecord,
  AgentRecord,
  DeviceRecord,
  NetworkRecord,
  PrefixRecord,
} from '../../core/state.ts';
import { seenIn, type WatchedWindow } from '../../core/watch.ts';
import type { RecordMap } from './proof-engine.ts';

/**
 * The times at which records start to mean something else: a block ends, a window forgets, a point decays, a level is
 * forgotten, an epoch ends. Between two of them nothing happens by itself, so a search that waits for them, and for
 * the millisecond before, misses little.
 */
export function boundariesOf(records: RecordMap, now: number, policy: Policy): number[] {
  const times = new Set<number>();
  const note = (time: number | null) => {
    if (time !== null && time > now) times.add(time);
  };
  for (const [text, record] of records) {
    const kind = kindOf(text);
    if (kind === 'book') continue;
    if (policy.kind === 'rate') noteRate(record, policy, now, note);
    else if (kind === 'K4') noteAccount(record as AccountRecord, policy, now, note);
    else noteOther(kind, record, policy, now, note);
  }
  return [...times].sort((a, b) => a - b);
}

/** `K4`, `K1`, …, or `book`. */
export const kindOf = (text: string): string => text.split(':', 5)[4] ?? '';

type Note = (time: number | null) => void;

function noteAccount(record: AccountRecord, policy: CredentialPolicy, now: number, note: Note): void {
  const { score, budget, correlation, caps, ladder } = policy;
  noteStanding(record.standing, ladder, now, note);
  noteScore(record.standing, [score.newDevice, score.missingDeviceAgain], score.decayMs.account, score, note);
  for (const { standing, failures } of record.devices) {
    noteStanding(standing, ladder, now, note);
    noteScore(standing, [score.knownDevice], score.decayMs.accountDevice, score, note);
    note(firstOf(failures.slice(-budget.knownDeviceGrace), budget.epochMs));
  }
  if (record.missingAt !== null) note(record.missingAt + score.missingDeviceAgainMs);
  noteWindow(record.rotation, correlation.rotation.windowMs, note);
  noteWindow(record.flood, correlation.flood.windowMs, note);
  note(record.floodUntil);
  note(firstOf(record.softs, correlation.equilibrium.windowMs));
  note(firstOf(record.rotations, correlation.rotationRepeat.windowMs));
  note(firstOf(record.devicesMadeAt, caps.newAccountDevicesMs));
  const { epochStart, cooldownUntil, softUntil, failures } = record.budget;
  note(cooldownUntil);
  note(softUntil);
  note(firstOf(failures, budget.epochMs));
  if (epochStart !== null) note(epochStart + budget.epochMs);
}

function noteOther(
  kind: string,
  record: StoredRecord,
  { score, correlation, ladder }: CredentialPolicy,
  now: number,
  note: Note,
): void {
  const { standing } = record as NetworkRecord;
  noteStanding(standing, ladder, now, note);
  noteScore(
    standing,
    [kind === 'K1' ? score.sprayedAccount : score.missingDevice],
    score.decayMs.network,
    score,
    note,
  );
  if (kind === 'K1' && correlation.spray !== null)
    noteWindow((record as NetworkRecord).spray, correlation.spray.windowMs, note);
  if (kind === 'K2') noteWindow((record as AgentRecord).churn, correlation.churn.windowMs, note);
  if (kind === 'D') {
    const { dilution, dilutedAt } = record as DeviceRecord;
    noteWindow(dilution, correlation.dilution.windowMs, note);
    if (dilutedAt !== null) {
      note(dilutedAt + correlation.dilution.confirmFromMs);
      note(dilutedAt + correlation.dilution.confirmUntilMs);
    }
  }
  if (kind.startsWith('P') && correlation.prefixes !== null) {
    const { children, accounts } = record as PrefixRecord;
    for (const { at } of [...children, ...accounts]) note(at + correlation.prefixes.windowMs);
  }
}

/** Calls have no score; a bucket has drained when its time has come. */
function noteRate(record: StoredRecord, { ladder }: RatePolicy, now: number, note: Note): void {
  const { standing, bucket } = record as NetworkRecord;
  noteStanding(standing, ladder, now, note);
  note(bucket.tatMs);
}

/** Ends of blocks; levels forgotten one by one. */
function noteStanding(standing: Standing, ladder: LadderPolicy, now: number, note: Note): void {
  const { softUntil, hardUntil, hardAt, memory } = standing;
  note(softUntil);
  note(hardUntil);
  if (hardAt !== null) note(hardAt + ladder.cycleMs);
  let since = hardUntil;
  for (let level = memory; level > 0 && since <= now + MOST_AHEAD_MS; level -= 1) {
    since += ladder.memoryMs[level - 1] ?? 0;
    note(since);
  }
}

/**
 * When the next points are forgotten; when so many are that one more failure stays below a threshold; when all are. At
 * both speeds, where a level is remembered that may be forgotten meanwhile.
 */
function noteScore(
  { score, scoreAt, memory }: Standing,
  deltas: readonly number[],
  decayMs: number,
  { softFrom, hardFrom, severeFrom }: ScorePolicy,
  note: Note,
): void {
  if (score === 0) return;
  const below = deltas.flatMap((delta) =>
    [softFrom, hardFrom, severeFrom].map((from) => score + delta - from + 1),
  );
  for (const points of new Set([1, 2, 3, score, ...below])) {
    if (points < 1 || points > score) continue;
    note(scoreAt + points * decayMs);
    if (memory >= 2) note(scoreAt + 2 * points * decayMs);
  }
}

const MOST_AHEAD_MS = 3 * DAY_MS;

function noteWindow(window: WatchedWindow, windowMs: number, note: Note): void {
  note(window.watchUntil);
  for (const { at } of seenIn(window)) note(at + windowMs);
}

const firstOf = (times: readonly number[], windowMs: number): number | null =>
  times[0] === undefined ? null : times[0] + windowMs;
