import { Fault, invariant, shapeOf } from '../../core/fault.ts';
import type { Key, Records } from '../../core/records.ts';
import type { CommitPipe } from './commit-pipe.ts';
import type { Deadline, Deadlines, Expirable } from './deadlines.ts';
import { NO_VERSION, Snapshot, textOf } from './envelope.ts';
import type { Memory } from './memory.ts';
import type { Reader } from './reader.ts';
import type { Reading } from './record-cache.ts';
import { tagOf } from './slot.ts';
import { StepRecords, type Writes } from './step-records.ts';

/** How often a step may meet another process's write. The deadline mostly comes first. */
const maxAttempts = 256;
/** How many steps one commit may carry, so that running them does not hold up the process. */
const maxSteps = 512;

export type Step = (records: Records, now: number) => unknown;

/** What running all waiting steps of a group on one reading has given. */
interface Round {
  readonly ran: readonly Waiting[];
  readonly writes: Writes;
}

/** What the steps of a group need of the store. */
export interface GroupCommitParts {
  readonly reader: Reader;
  readonly pipe: CommitPipe;
  readonly memory: Memory;
  readonly deadlines: Deadlines;
  readonly nextVersion: () => string;
}

/**
 * Runs steps group by group. Of each group at most one commit is in flight; steps that arrive meanwhile run one
 * after another on the same working copy and go out together in the next. So a hot key costs one round trip at a
 * time, however many operations there are.
 */
export class GroupCommit {
  readonly #parts: GroupCommitParts;
  readonly #groups = new Map<string, Waiting[]>();

  constructor(parts: GroupCommitParts) {
    this.#parts = parts;
  }

  /** Runs the step and resolves with what it returned once its puts are written. */
  transact(keys: readonly Key[], step: Step): Promise<unknown> {
    const tag = groupOf(keys);
    return new Promise((resolve, reject) => {
      const waiting = new Waiting(keys, step, resolve, reject);
      waiting.limit(this.#parts.deadlines);
      const group = this.#groups.get(tag);
      if (group !== undefined) {
        group.push(waiting);
        return;
      }
      const fresh = [waiting];
      this.#groups.set(tag, fresh);
      queueMicrotask(() => this.#drain(tag, fresh));
    });
  }

  async #drain(tag: string, group: Waiting[]): Promise<void> {
    while (group.length > 0) {
      const batch = group.splice(0, maxSteps);
      const keys = distinctKeys(batch);
      try {
        await this.#untilCurrent(batch, keys);
      } catch (cause) {
        this.#parts.memory.forget(keys);
        for (const waiting of batch) waiting.fail(cause);
      }
    }
    this.#groups.delete(tag);
  }

  /** Runs the steps on what is known, and again on what is there, until what they rest on has proved current. */
  async #untilCurrent(batch: readonly Waiting[], keys: readonly Key[]): Promise<void> {
    const { memory, reader } = this.#parts;
    let reading = memory.recent(keys);
    let isWarm = reading !== undefined;
    reading ??= await reader.read(keys);
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const { ran, writes } = runAll(batch, reading, memory.now());
      if (ran.length === 0) return;
      let current: Reading | null = null;
      if (writes.size > 0) {
        current = await this.#write(keys, reading, writes);
      } else if (isWarm) {
        current = await reader.read(keys);
        if (isSame(keys, reading, current)) current = null;
      }
      if (current === null) {
        for (const waiting of ran) waiting.settle();
        return;
      }
      reading = current;
      isWarm = false;
    }
    throw new Fault('STORE_CONFLICT', `A step met ${maxAttempts} conflicting writers.`);
  }

  /** Null if everything was written, else what is there now. */
  async #write(keys: readonly Key[], reading: Reading, writes: Writes): Promise<Reading | null> {
    const { memory, nextVersion, pipe } = this.#parts;
    const version = nextVersion();
    const seenAtMs = memory.monotonicMs();
    const conflict = await pipe.submit({
      keys: keys.map(({ text }) => text),
      expected: keys.map(({ text }) => reading.get(text)?.version ?? NO_VERSION),
      texts: keys.map(({ text }) => {
        const write = writes.get(text);
        return write === undefined ? '' : textOf(write, version);
      }),
    });
    if (conflict !== null) {
      const current = new Map(reading);
      keys.forEach(({ text }, place) => {
        current.set(text, snapshotOf(conflict[place], seenAtMs));
      });
      memory.learn(current);
      return current;
    }
    const written = new Map<string, Snapshot>();
    for (const [text, write] of writes) written.set(text, Snapshot.written(write, version, seenAtMs));
    memory.learn(written);
    return null;
  }
}

/** A step that waits for its turn, or for its commit. */
class Waiting implements Expirable {
  readonly keys: readonly Key[];
  readonly #step: Step;
  readonly #resolve: (value: unknown) => void;
  readonly #reject: (cause: unknown) => void;
  #deadline: Deadline | undefined;
  #timeout: () => Fault = () => new Fault('STORE_TIMEOUT', 'A commit took too long.');
  #value: unknown;
  #hasThrown = false;

  constructor(
    keys: readonly Key[],
    step: Step,
    resolve: (value: unknown) => void,
    reject: (cause: unknown) => void,
  ) {
    this.keys = keys;
    this.#step = step;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Nobody waits for it once its deadline has come. */
  get isOpen(): boolean {
    return this.#deadline?.isDone === false;
  }

  limit(deadlines: Deadlines): void {
    this.#timeout = () => deadlines.timeout('a commit');
    this.#deadline = deadlines.start(this);
  }

  expire(): void {
    this.#reject(this.#timeout());
  }

  /** Runs the step on top of earlier ones. What it throws drops its own puts only. */
  run(reading: Reading, now: number, writes: Writes): void {
    const records = new StepRecords(this.keys, reading, now, writes);
    this.#hasThrown = false;
    try {
      this.#value = this.#step(records, now);
      for (const [text, write] of records.writes) writes.set(text, write);
    } catch (thrown) {
      this.#value = thrown;
      this.#hasThrown = true;
    } finally {
      records.end();
    }
  }

  /** Tells what the step came to, now that the records it rests on have proved current. */
  settle(): void {
    this.#deadline?.done();
    if (this.#hasThrown) this.#reject(this.#value);
    else this.#resolve(this.#value);
  }

  fail(cause: unknown): void {
    this.#deadline?.done();
    this.#reject(cause);
  }
}

function runAll(batch: readonly Waiting[], reading: Reading, now: number): Round {
  const writes: Writes = new Map();
  const ran = batch.filter((waiting) => waiting.isOpen);
  for (const waiting of ran) waiting.run(reading, now, writes);
  return { ran, writes };
}

function snapshotOf(text: unknown, seenAtMs: number): Snapshot {
  if (text === null) return Snapshot.absent(seenAtMs);
  if (typeof text === 'string') return Snapshot.read(text, seenAtMs);
  throw new Fault('STORE_FAILED', `The commit script answered with ${shapeOf(text)} where a text was due.`);
}

function isSame(keys: readonly Key[], before: Reading, after: Reading): boolean {
  return keys.every(({ text }) => before.get(text)?.version === after.get(text)?.version);
}

/** The tag that all keys of a group carry. */
function groupOf(keys: readonly Key[]): string {
  const tag = tagOf(keys[0]?.text ?? '');
  for (const key of keys)
    invariant(tagOf(key.text) === tag, 'The keys of one transaction have different tags.');
  return tag;
}

function distinctKeys(batch: readonly Waiting[]): readonly Key[] {
  const first = batch[0];
  if (first !== undefined && batch.length === 1) return first.keys;
  const keys = new Map<string, Key>();
  for (const waiting of batch)
    for (const key of waiting.keys) if (key.was !== null || !keys.has(key.text)) keys.set(key.text, key);
  return [...keys.values()];
}
