import { Fault, shapeOf } from '../../core/fault.ts';
import type { Key } from '../../core/records.ts';
import type { Deadlines } from '../deadlines.ts';
import { type Commit, type CommitPipe, type CommitText, expectationOf } from './commit-pipe.ts';
import { Snapshot } from './envelope.ts';
import type { KnownRecords } from './known-records.ts';
import type { Reader } from './reader.ts';
import { Reading } from './reading.ts';
import { type Put, ReadingRecords, type Spares } from './reading-records.ts';
import { isSameVersion, NO_WRITER, type Version, type Versions } from './versions.ts';
import type { WaitingStep } from './waiting-step.ts';

/** How often a step may meet another process's write. The deadline mostly comes first. */
const maxAttempts = 256;

/**
 * Processes that write one group all the time would mostly meet each other's writes: the more there are, the more
 * tries a commit takes, and some would not get through by their deadline. So one that got through after conflicts
 * lets others go first, for some round trips for each of them; what arrives meanwhile goes out together. Simulated with
 * 20 such processes and round trips of 0.5 ms, 5 % of the commits took longer than 50 ms without the pause, none with it.
 */
const roundTripsPerConflict = 4;
/** The longest pause, as a part of the deadline: what waits for it still has to be committed. */
const longestPause = 0.4;

/** Before anything has run. A list of its own would be made for every turn, and thrown away. */
const noSteps: readonly WaitingStep[] = [];
const noSnapshots: readonly Snapshot[] = [];

/** What the steps of a group need of the store. */
export interface CommitTurnParts {
  readonly reader: Reader;
  readonly pipe: CommitPipe;
  readonly known: KnownRecords;
  readonly deadlines: Deadlines;
  readonly versions: Versions;
}

/** The group that takes a turn. */
export interface TurnGroup {
  /** Whether others of its steps wait for those of the turn. */
  readonly isAwaited: boolean;
  /** Called once, as the last thing: its next turn may begin. */
  turnEnded(): void;
}

/**
 * Some steps of one group on their way into the store: they run on what is known, and again on what is there, until what
 * they rest on has proved current. It is told what comes instead of waiting for it: every operation of a busy process
 * comes through here, and a promise for each stretch of the way would cost more than the steps do.
 */
export class CommitTurn implements Commit, Version {
  readonly keys: readonly Key[];
  writer = NO_WRITER;
  count = 0;
  readonly #parts: CommitTurnParts;
  readonly #batch: readonly WaitingStep[];
  readonly #group: TurnGroup;
  readonly #startedAtMs: number;
  #conflicts = 0;
  #ran: readonly WaitingStep[] = noSteps;
  /** What the steps ran on, and what it becomes by them. */
  #reading = Reading.nothing;
  #outcome: readonly Snapshot[] = noSnapshots;
  #sentAtMs = 0;

  /** @param group whose steps these are */
  constructor(parts: CommitTurnParts, batch: readonly WaitingStep[], group: TurnGroup) {
    this.keys = distinctKeys(batch);
    this.#parts = parts;
    this.#batch = batch;
    this.#group = group;
    this.#startedAtMs = parts.known.monotonicMs();
  }

  begin(): void {
    const warm = this.#parts.known.recent(this.keys, this.#startedAtMs);
    if (warm === undefined) {
      this.#readAnd((reading) => this.#run(reading, false));
      return;
    }
    // By hand here and in `committed`, where every turn comes through: a function for `#guarded` would be garbage of each.
    try {
      this.#run(warm, true);
    } catch (cause) {
      this.failed(cause);
    }
  }

  write(): CommitText | null {
    try {
      const { snapshots } = this.#reading;
      const texts = new Array<string>(snapshots.length);
      let expected = '';
      for (let place = 0; place < snapshots.length; place += 1) {
        const before = snapshots[place] as Snapshot;
        const after = this.#outcome[place] as Snapshot;
        expected += expectationOf(before, place === 0);
        texts[place] = after === before ? '' : after.textFor(this);
      }
      return { expected, texts };
    } catch (cause) {
      this.failed(cause);
      return null;
    }
  }

  /** The pipe has written everything. */
  committed(answeredAtMs: number): void {
    try {
      const outcome = this.#outcome;
      const { snapshots } = this.#reading;
      for (let place = 0; place < outcome.length; place += 1) {
        const snapshot = outcome[place] as Snapshot;
        if (snapshot !== snapshots[place]) snapshot.written(this, this.#sentAtMs, answeredAtMs);
      }
      this.#parts.known.learnWritten(this.#reading, outcome, this.#group.isAwaited, answeredAtMs);
      this.#settle();
    } catch (cause) {
      this.failed(cause);
    }
  }

  /** The pipe has written nothing: others have, and these are the texts there now, in the order of the keys. */
  conflicted(texts: readonly unknown[]): void {
    this.#guarded(() => {
      const current = this.#reading.with(
        this.keys.map((_, place) => snapshotOf(texts[place], this.#sentAtMs)),
      );
      this.#parts.known.learn(current);
      this.#runAgain(current);
    });
  }

  /** Whether anything was written is not known. */
  failed(cause: unknown): void {
    this.#parts.known.forget(this.keys);
    for (const waiting of this.#batch) waiting.fail(cause);
    this.#group.turnEnded();
  }

  #run(reading: Reading, isWarm: boolean): void {
    const { known, versions, pipe } = this.#parts;
    const nowMs = known.monotonicMs();
    this.#reading = reading;
    const isWriting = this.#runSteps(reading, known.now(nowMs));
    if (this.#ran.length === 0) this.#settle();
    else if (isWriting) {
      versions.renew(this);
      this.#sentAtMs = nowMs;
      pipe.submit(this);
    } else if (isWarm) this.#readAnd((current) => this.#prove(current));
    else this.#settle();
  }

  /** Runs those that somebody still waits for. Says whether there is anything to write. */
  #runSteps(reading: Reading, now: number): boolean {
    const batch = this.#batch;
    this.#ran = batch.every(isOpen) ? batch : batch.filter(isOpen);
    const { known } = this.#parts;
    const { snapshots } = reading;
    const { written } = recordsAfter(this.#ran, reading, now, known);
    this.#outcome = snapshots;
    if (written === null) return false;
    const outcome = new Array<Snapshot>(snapshots.length);
    for (let place = 0; place < outcome.length; place += 1) {
      const put = written[place];
      outcome[place] =
        put === undefined
          ? (snapshots[place] as Snapshot)
          : unwritten(put, known.spareOf(this.keys[place] as Key), now);
    }
    this.#outcome = outcome;
    return true;
  }

  /** Steps that write nothing rest on what was known of the records: on what is there they must come to the same. */
  #prove(current: Reading): void {
    const { snapshots } = this.#reading;
    const isSame = current.snapshots.every((snapshot, place) =>
      isSameVersion(snapshot, snapshots[place] as Snapshot),
    );
    if (isSame) this.#settle();
    else this.#runAgain(current);
  }

  #runAgain(current: Reading): void {
    this.#conflicts += 1;
    if (this.#conflicts < maxAttempts) this.#run(current, false);
    else throw new Fault('STORE_CONFLICT', `A step met ${maxAttempts} conflicting writers.`);
  }

  #settle(): void {
    for (const waiting of this.#ran) waiting.settle();
    if (this.#conflicts === 0) this.#group.turnEnded();
    else setTimeout(() => this.#group.turnEnded(), this.#pauseMs());
  }

  #pauseMs(): number {
    const { known, deadlines } = this.#parts;
    const roundTripMs = (known.monotonicMs() - this.#startedAtMs) / (this.#conflicts + 1);
    const longestMs = longestPause * deadlines.deadlineMs;
    const pauseMs = Math.min(longestMs, this.#conflicts * roundTripsPerConflict * roundTripMs);
    // Not all for the same time, or they would meet again.
    return pauseMs * (0.5 + Math.random() / 2);
  }

  #readAnd(goOn: (reading: Reading) => void): void {
    this.#parts.reader.read(this.keys).then(
      (reading) => this.#guarded(() => goOn(reading)),
      (cause: unknown) => this.failed(cause),
    );
  }

  /** What is thrown on the way ends the turn, and the group goes on. */
  #guarded(goOn: () => void): void {
    try {
      goOn();
    } catch (cause) {
      this.failed(cause);
    }
  }
}

const isOpen = (waiting: WaitingStep): boolean => waiting.isOpen;

/** The records after all of these steps. One that throws must leave nothing behind: the rest runs anew without it. */
function recordsAfter(
  steps: readonly WaitingStep[],
  reading: Reading,
  now: number,
  spares: Spares,
): ReadingRecords {
  const records = new ReadingRecords(reading, now, spares);
  for (const waiting of steps) {
    waiting.run(records);
    if (records.isSpoilt) return recordsAfter(without(steps, waiting), reading, now, spares);
  }
  return records;
}

/** What was put on its way into the store, in the snapshot that lent the record for it, if one has. */
function unwritten(put: Put, spare: Snapshot | null, now: number): Snapshot {
  if (spare === null || !spare.holds(put.value)) return Snapshot.unwritten(put, now);
  spare.rewrite(put, now);
  return spare;
}

const without = (steps: readonly WaitingStep[], one: WaitingStep): readonly WaitingStep[] =>
  steps.filter((waiting) => waiting !== one);

function snapshotOf(text: unknown, seenAtMs: number): Snapshot {
  if (text === null) return Snapshot.absent(seenAtMs);
  if (typeof text === 'string') return Snapshot.read(text, seenAtMs);
  throw new Fault('STORE_FAILED', `The commit script answered with ${shapeOf(text)} where a text was due.`);
}

function distinctKeys(batch: readonly WaitingStep[]): readonly Key[] {
  const first = batch[0];
  if (first !== undefined && batch.every((waiting) => waiting.keys === first.keys)) return first.keys;
  const keys = new Map<string, Key>();
  for (const waiting of batch)
    for (const key of waiting.keys) if (key.was !== null || !keys.has(key.text)) keys.set(key.text, key);
  return [...keys.values()];
}
