import { Fault, invariant } from '../../core/fault.ts';
import type { Key, Records } from '../../core/records.ts';
import type { CommitPipe } from './commit-pipe.ts';
import type { Deadlines } from './deadlines.ts';
import { NO_VERSION, Snapshot } from './envelope.ts';
import type { Memory } from './memory.ts';
import type { Reader } from './reader.ts';
import type { Reading } from './record-cache.ts';
import { tagOf } from './slot.ts';
import { StepRecords, type Writes } from './step-records.ts';

/** How often a step may meet another process's write. The deadline mostly comes first. */
const maxAttempts = 64;
/** How many steps one commit may carry, so that running them does not hold up the process. */
const maxSteps = 512;

/** A step that waits for its turn, or for its commit. */
interface Waiting {
  readonly keys: readonly Key[];
  readonly step: (records: Records, now: number) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (cause: unknown) => void;
  /** False once its deadline has come: nobody is waiting for it any more. */
  isOpen: boolean;
}

/** What a step has come to; told only once the records it rests on have proved current. */
type Result = { readonly value: unknown } | { readonly thrown: unknown };

/** What running all waiting steps of a group on one reading has given. */
interface Round {
  readonly results: ReadonlyMap<Waiting, Result>;
  readonly writes: Writes;
}

/**
 * Runs steps group by group. Of each group at most one commit is in flight; steps that arrive meanwhile run one
 * after another on the same working copy and go out together in the next. So a hot key costs one round trip at a
 * time, however many operations there are.
 */
export class GroupCommit {
  readonly #reader: Reader;
  readonly #pipe: CommitPipe;
  readonly #memory: Memory;
  readonly #deadlines: Deadlines;
  readonly #nextVersion: () => string;
  readonly #groups = new Map<string, Waiting[]>();

  constructor(parts: {
    reader: Reader;
    pipe: CommitPipe;
    memory: Memory;
    deadlines: Deadlines;
    nextVersion: () => string;
  }) {
    this.#reader = parts.reader;
    this.#pipe = parts.pipe;
    this.#memory = parts.memory;
    this.#deadlines = parts.deadlines;
    this.#nextVersion = parts.nextVersion;
  }

  /** Runs the step and resolves with what it returned once its puts are written. */
  transact<T>(keys: readonly Key[], step: (records: Records, now: number) => T): Promise<T> {
    const tag = groupOf(keys);
    return new Promise<T>((resolve, reject) => {
      const done = this.#deadlines.start(() => {
        waiting.isOpen = false;
        reject(this.#deadlines.timeout('a commit'));
      });
      const waiting: Waiting = {
        keys,
        step,
        resolve(value) {
          done();
          resolve(value as T);
        },
        reject(cause) {
          done();
          reject(cause);
        },
        isOpen: true,
      };
      this.#enqueue(tag, waiting);
    });
  }

  #enqueue(tag: string, waiting: Waiting): void {
    const group = this.#groups.get(tag);
    if (group !== undefined) {
      group.push(waiting);
      return;
    }
    const fresh = [waiting];
    this.#groups.set(tag, fresh);
    queueMicrotask(() => this.#drain(tag, fresh));
  }

  async #drain(tag: string, group: Waiting[]): Promise<void> {
    while (group.length > 0) {
      const batch = group.splice(0, maxSteps).filter((waiting) => waiting.isOpen);
      if (batch.length > 0) await this.#commit(batch);
    }
    this.#groups.delete(tag);
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    const keys = distinctKeys(batch);
    try {
      await this.#untilCurrent(batch, keys);
    } catch (cause) {
      this.#memory.forget(keys);
      for (const waiting of batch) waiting.reject(cause);
    }
  }

  /** Runs the steps on what is known, and again on what is there, until what they rest on has proved current. */
  async #untilCurrent(batch: readonly Waiting[], keys: readonly Key[]): Promise<void> {
    let reading = this.#memory.recent(keys);
    let isWarm = reading !== undefined;
    reading ??= await this.#reader.read(keys);
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      if (!batch.some((waiting) => waiting.isOpen)) return;
      const round = this.#run(batch, reading);
      if (round.writes.size > 0) {
        const current = await this.#write(keys, reading, round.writes);
        if (current === null) return settle(round);
        reading = current;
      } else {
        if (!isWarm) return settle(round);
        const current = await this.#reader.read(keys);
        if (isSame(keys, reading, current)) return settle(round);
        reading = current;
      }
      isWarm = false;
    }
    throw new Fault('STORE_CONFLICT', `A step met ${maxAttempts} conflicting writers.`);
  }

  #run(batch: readonly Waiting[], reading: Reading): Round {
    const now = this.#memory.now();
    const writes: Writes = new Map();
    const results = new Map<Waiting, Result>();
    for (const waiting of batch) {
      if (waiting.isOpen) results.set(waiting, runStep(waiting, reading, writes, now));
    }
    return { results, writes };
  }

  /** Null if everything was written, else what is there now. */
  async #write(keys: readonly Key[], reading: Reading, writes: Writes): Promise<Reading | null> {
    const version = this.#nextVersion();
    const records = keys.map(({ text }) => ({
      text,
      expected: reading.get(text)?.version ?? NO_VERSION,
      write: writes.get(text),
    }));
    const seenAtMs = this.#memory.monotonicMs();
    const conflict = await this.#pipe.submit({ records, version });
    const current = new Map(reading);
    records.forEach(({ text, write }, place) => {
      if (conflict !== null) current.set(text, Snapshot.read(conflict[place] ?? null, seenAtMs));
      else if (write !== undefined) current.set(text, Snapshot.written(write, version, seenAtMs));
    });
    this.#memory.learn(current);
    return conflict === null ? null : current;
  }
}

function runStep(waiting: Waiting, reading: Reading, writes: Writes, now: number): Result {
  const records = StepRecords.forStep(waiting.keys, reading, writes, now);
  try {
    const value = waiting.step(records, now);
    for (const [text, write] of records.writes ?? []) writes.set(text, write);
    return { value };
  } catch (thrown) {
    return { thrown };
  } finally {
    records.end();
  }
}

function settle({ results }: Round): void {
  for (const [waiting, result] of results) {
    if ('thrown' in result) waiting.reject(result.thrown);
    else waiting.resolve(result.value);
  }
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
