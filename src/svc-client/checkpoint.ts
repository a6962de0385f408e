import { Fault, shapeOf } from '../core/fault.ts';
import { requestIdHeader, requestIdOf } from '../identity/request-id.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Denial, DenialReason } from './denial.ts';
import { SvcEmitter, type SvcEventName, type SvcListener } from './events.ts';
import { closesSecondCycle, type HopPath } from './hops.ts';
import { Journey } from './journey.ts';
import type { CheckpointOptions, CheckpointSettings } from './options.ts';
import { PASSPORT_HEADER, type Passport, type PassportFlaw, readPassport } from './passport.ts';
import { writeReceipt } from './receipt.ts';
import { readCheckpointSettings } from './settings.ts';
import { readTraceContext } from './trace-context.ts';
import { unheard } from './unheard-warnings.ts';

/** Request headers, as node:http or as fetch has them. */
export type RequestHeaders =
  | Readonly<Record<string, string | string[] | undefined>>
  | { get(name: string): string | null };

/** Where incoming passports are looked at. A client has one; a service that calls nobody makes its own. */
export interface Checkpoint {
  readonly settings: CheckpointSettings;
  readonly clock: Clock;
  readonly events: SvcEmitter;
  readonly counters: CheckpointCounters;
  on<Name extends SvcEventName>(name: Name, listener: SvcListener<Name>): () => void;
}

/** What has happened at a checkpoint and in its client since the start. */
export interface CheckpointCounters {
  loops: number;
  droppedPassports: number;
  /** The last loops, the newest at the end; bounded. */
  readonly recentLoops: SeenLoop[];
}

/** A loop that was refused. */
export interface SeenLoop {
  /** Of the request that went round. */
  readonly requestId: string;
  /** Its way, with the call that would have closed the second circle. */
  readonly hops: HopPath;
  /** By the clock of the checkpoint. */
  readonly at: number;
}

/** How many loops are remembered: enough to follow, and no more however many there are. */
export const MOST_RECENT_LOOPS = 10;

export const noCounts = (): CheckpointCounters => ({ loops: 0, droppedPassports: 0, recentLoops: [] });

/** What becomes of a request. */
export type Admission =
  | {
      readonly admitted: true;
      readonly journey: Journey;
      /** Null when there was none or a valid one. */
      readonly dropped: PassportFlaw | null;
      /** The value of the receipt header, to be asked for once, when the response headers go out; null for none. */
      readonly receipt: () => string | null;
    }
  | {
      readonly admitted: false;
      readonly denial: Denial;
      readonly requestId: string;
      /** The value of the receipt header: nothing was used, and nobody should try again. */
      readonly receipt: string;
    };

/**
 * Part of the caller's time that is kept for answering. Without it a service whose callee is silent would itself seem
 * silent at the same moment, and one failure would open the breakers of the whole chain above it.
 */
const ANSWER_SHARE = 0.1;
const ANSWER_MAX_MS = 100;

/** Makes a checkpoint for a service that is only called. */
export function createCheckpoint(options: CheckpointOptions, clock: Clock = systemClock): Checkpoint {
  const events = new SvcEmitter();
  return {
    settings: readCheckpointSettings(options),
    clock,
    events,
    counters: noCounts(),
    on: (name, listener) => events.on(name, listener),
  };
}

/** @throws Fault `CONFIG_INVALID` when it is none. A client has one, but is none. */
export function assertCheckpoint(checkpoint: Checkpoint): void {
  if (checkpoint?.settings !== undefined && checkpoint.counters !== undefined) return;
  const expected = 'what createCheckpoint gives, or the checkpoint of a client';
  throw new Fault('CONFIG_INVALID', `checkpoint must be ${expected}, got ${shapeOf(checkpoint)}`);
}

function header(headers: RequestHeaders, name: string): string | null {
  if (typeof headers.get === 'function') return headers.get(name);
  const value = (headers as Readonly<Record<string, string | string[] | undefined>>)[name];
  // A header that came twice is joined as a list would be, and then no longer verifies.
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}

/**
 * Looks at the passport of an incoming request. Without one a new journey begins here. One that does not verify is
 * dropped and said so: the request goes on, but without retries, since nobody knows how many were left.
 */
export function acceptPassport(headers: RequestHeaders, checkpoint: Checkpoint): Admission {
  const { settings } = checkpoint;
  const text = header(headers, PASSPORT_HEADER);
  if (text === null) return setOut(headers, checkpoint, settings.retries, null);
  const reading = readPassport(text, settings.keys);
  if (!reading.valid) return drop(headers, checkpoint, reading.flaw);
  if (reading.passport.hops.at(-1) !== settings.self) return drop(headers, checkpoint, 'not-for-us');
  return admit(headers, checkpoint, reading.passport);
}

function drop(headers: RequestHeaders, checkpoint: Checkpoint, flaw: PassportFlaw): Admission {
  checkpoint.counters.droppedPassports += 1;
  unheard.passport(checkpoint.events, { flaw });
  return setOut(headers, checkpoint, 0, flaw);
}

function traceOf(headers: RequestHeaders) {
  return readTraceContext(header(headers, 'traceparent'), header(headers, 'tracestate'));
}

function setOut(
  headers: RequestHeaders,
  { settings, clock }: Checkpoint,
  retries: number,
  dropped: PassportFlaw | null,
): Admission {
  const journey = new Journey({
    requestId: requestIdOf(header(headers, requestIdHeader)),
    hops: [settings.self],
    retries,
    deadlineAt: clock.now() + settings.deadlineMs,
    trace: traceOf(headers),
  });
  return { admitted: true, journey, dropped, receipt: () => null };
}

/** The reason to turn a valid passport away, if there is one. */
function flawOfJourney({ hops, remainingMs }: Passport): 'loop' | 'deadline' | null {
  if (closesSecondCycle(hops.slice(0, -1), hops.at(-1) ?? '')) return 'loop';
  return remainingMs === 0 ? 'deadline' : null;
}

function admit(headers: RequestHeaders, checkpoint: Checkpoint, passport: Passport): Admission {
  const { settings, clock } = checkpoint;
  const { requestId, hops, remainingMs, nonce } = passport;
  const reason = flawOfJourney(passport);
  if (reason !== null) {
    const denial: Denial =
      reason === 'loop' ? { reason, target: settings.self, hops } : { reason, target: settings.self };
    if (denies(checkpoint, denial, 'callee', requestId)) {
      const receipt = { unused: passport.retries, failedBelow: true };
      return { admitted: false, denial, requestId, receipt: writeReceipt(receipt, nonce, settings.keys) };
    }
  }
  const deadlineAt = clock.now() + remainingMs;
  const retries = Math.min(passport.retries, settings.retries);
  /** What this service does not give itself is not used either. */
  let spared = passport.retries - retries;
  const journey = new Journey({
    requestId,
    hops,
    retries,
    deadlineAt,
    callsUntil: deadlineAt - Math.min(ANSWER_MAX_MS, remainingMs * ANSWER_SHARE),
    trace: traceOf(headers),
  });
  const receipt = () => {
    const unused = journey.settle() + spared;
    spared = 0;
    return writeReceipt({ unused, failedBelow: journey.failedBelow }, nonce, settings.keys);
  };
  return { admitted: true, journey, dropped: null, receipt };
}

/** Tells of a denial; false when its rule runs in shadow and the call goes on. */
export function denies(
  { settings, events, counters, clock }: Pick<Checkpoint, 'settings' | 'events' | 'counters' | 'clock'>,
  denial: Denial,
  side: 'client' | 'callee',
  requestId: string,
): boolean {
  const shadow = settings.shadow.has(denial.reason satisfies DenialReason);
  events.emit('denied', { denial, side, shadow });
  if (denial.reason === 'loop') {
    counters.loops += 1;
    counters.recentLoops.push({ requestId, hops: denial.hops, at: clock.now() });
    if (counters.recentLoops.length > MOST_RECENT_LOOPS) counters.recentLoops.shift();
    const seen = { requestId, hops: denial.hops, count: counters.loops };
    unheard.loop(events, { kind: 'loop', side, ...seen });
    events.emit('alert', { kind: 'loop', ...seen });
  }
  return !shadow;
}
