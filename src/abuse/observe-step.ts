import { escalate } from '../core/ladder.ts';
import type { Key, Records, Retention } from '../core/records.ts';
import { hardBlocked, remembered } from '../core/standing.ts';
import { type Evidence, emptyEvidence, gather, type Thresholds } from './evidence.ts';
import type { Mark } from './marks.ts';
import {
  degradationBy,
  emptySubject,
  isBlocked,
  ladder,
  readSubject,
  type SubjectRecord,
  withDegradation,
  writeSubject,
} from './subject-record.ts';

/** What a scenario does, with its defaults. */
export interface ResponsePlan {
  /** The scenario's name, or another one in shadow: what is decided there is never enforced later. */
  readonly id: string;
  /** Null where nothing is degraded. */
  readonly degradeMs: number | null;
  /** Null where nothing is blocked. */
  readonly blockFromLevel: number | null;
  readonly isShadow: boolean;
  /** Whether a block is kept in the records of scenarios; else a limiter keeps it, or nobody does. */
  readonly blocksHere: boolean;
}

/** When a sign holds, and what its scenario does then. */
export interface SightedSign {
  readonly thresholds: Thresholds;
  readonly plan: ResponsePlan;
}

/** One sign that an event is for, or against. */
export interface Sighting {
  readonly evidence: Key<Evidence>;
  readonly sign: SightedSign;
  /** Short hashes of what the sign tells apart. */
  readonly values: readonly Mark[];
  /** Whether the event makes a clean slate instead of adding to it. */
  readonly clears: boolean;
}

/** What one key of an event is to be judged by: all keys are of one group. */
export interface Group {
  readonly subject: Key<SubjectRecord>;
  readonly sightings: readonly Sighting[];
  readonly keys: readonly Key[];
  /** Whether the call came when nothing that is enforced was held against its caller. */
  readonly cameInGoodStanding: boolean;
}

/** A response that an event brought about. */
export interface Outcome {
  /** Index of the sighting that brought it. */
  readonly sighting: number;
  readonly what: 'degraded' | 'blocked';
  /** Store time in ms; null for a block that is kept elsewhere, or by nobody. */
  readonly until: number | null;
}

/**
 * Adds an event to what speaks against one key. At most one scenario responds to an event: a further one that would
 * keeps its evidence and does so with the next. Nothing counts while the key is blocked, so nothing extends a block.
 *
 * @param mayRespond false where another key of the event has been responded to
 */
export function observeStep(records: Records, group: Group, t: number, mayRespond: boolean): Outcome | null {
  const stored = readSubject(records, group.subject, t);
  const subject = stored ?? emptySubject;
  const now = Math.max(t, subject.at);
  if (isBlocked(subject, now)) return null;
  let outcome: Outcome | null = null;
  const { sightings } = group;
  for (let index = 0; index < sightings.length; index += 1) {
    const sighting = sightings[index] as Sighting;
    if (sighting.clears) {
      clear(records, sighting, t);
      continue;
    }
    const { plan } = sighting.sign;
    const strict = now < degradationBy(subject, plan.id);
    // Under way when its caller was degraded: whether that goes on is for later calls to show.
    if (strict && group.cameInGoodStanding && !plan.isShadow) continue;
    const holds = add(records, sighting, strict, t, mayRespond && outcome === null);
    if (holds) outcome = respond(records, group.subject, subject, { sighting, index, strict, now, t });
  }
  return outcome;
}

/** A clean slate is one that says the same as none. */
function clear(records: Records, { evidence: key, sign }: Sighting, t: number): void {
  const stored = records.get(key);
  if (stored === undefined) return;
  const at = Math.max(t, stored.at);
  const { thresholds } = sign;
  records.put(
    key,
    emptyEvidence(at, stored.strict, thresholds.normal),
    emptyRetention(key, thresholds, at, t),
  );
}

/** Whether the sign holds, in which case its evidence is used up. */
function add(
  records: Records,
  { evidence: key, sign: { thresholds }, values }: Sighting,
  strict: boolean,
  t: number,
  mayHold: boolean,
): boolean {
  const threshold = strict ? thresholds.strict : thresholds.normal;
  const stored = records.get(key);
  const live = stored !== undefined && stored.strict === strict && t < stored.at + thresholds.keepMs;
  const now = Math.max(t, stored?.at ?? t);
  const gathered = gather(live ? stored : emptyEvidence(now, strict, threshold), values, now, threshold);
  if (gathered.holds && mayHold) {
    records.put(key, emptyEvidence(now, strict, threshold), emptyRetention(key, thresholds, now, t));
    return true;
  }
  records.put(key, gathered.evidence, fullRetention(thresholds, now, t));
  return false;
}

function fullRetention({ keepMs, retention }: Thresholds, now: number, t: number): Retention {
  return now === t ? retention : { keepMs: keepMs + now - t, softMs: 0, hardMs: 0 };
}

/** While a key rotation runs it outlives the evidence of before, which would count again without it. */
function emptyRetention(key: Key<Evidence>, thresholds: Thresholds, now: number, t: number): Retention {
  return key.was === null ? brief : fullRetention(thresholds, now, t);
}

const brief: Retention = { keepMs: 1, softMs: 0, hardMs: 0 };

interface Occasion {
  readonly sighting: Sighting;
  readonly index: number;
  readonly strict: boolean;
  readonly now: number;
  readonly t: number;
}

/** Degrades first, blocks what goes on. A block ends the degradation: whoever comes back begins anew. */
function respond(
  records: Records,
  key: Key<SubjectRecord>,
  subject: SubjectRecord,
  { sighting, index, strict, now, t }: Occasion,
): Outcome {
  const { id, degradeMs, blockFromLevel, blocksHere } = sighting.sign.plan;
  if (degradeMs !== null && (!strict || blockFromLevel === null)) {
    const until = now + degradeMs;
    writeSubject(records, key, withDegradation(subject, id, until, now), t);
    return { sighting: index, what: 'degraded', until };
  }
  const freed = withDegradation(subject, id, 0, now);
  if (!blocksHere || blockFromLevel === null) {
    writeSubject(records, key, freed, t);
    return { sighting: index, what: 'blocked', until: null };
  }
  const level = escalate(blockFromLevel, remembered(subject.standing, now, ladder), ladder.maxLevel);
  const standing = hardBlocked(subject.standing, level, now, ladder);
  writeSubject(records, key, { ...freed, standing, blockedBy: id }, t);
  return { sighting: index, what: 'blocked', until: standing.hardUntil };
}
