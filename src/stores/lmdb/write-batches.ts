import { Fault } from '../../core/fault.ts';
import type { Call } from '../pending-call.ts';
import { type FindRecord, type Put, StepRecords } from '../step-records.ts';
import { type Entry, entryOf, recordAt } from './entry.ts';
import { writeFault } from './lmdb-faults.ts';
import type { RecordFile } from './record-file.ts';

/** What a store had to give up because it was full. */
export interface Evictions {
  evicted: number;
  /** Those of them whose block was still running. */
  evictedBlocks: number;
}

/**
 * A commit copies every page it touches, and the copies of the last two commits stay. So a part of the file is kept free
 * for them, and a batch is small enough for that part.
 */
const usableShare = 3 / 4;
const bytesPerWrite = 24 * 1024;
const batchShare = 1 / 16;
/** A bound on how long one batch keeps this process busy. */
const maxCalls = 512;
/** Dropping twice what was written keeps ahead of any number of records that expire together, or of a full file. */
const dropsPerWrite = 2;

/** The steps of one transaction. */
class Batch {
  readonly calls: Call[] = [];
  readonly answers: (() => void)[] = [];
  writes = 0;
  bytes = 0;
}

/**
 * Runs steps in write transactions, as many in one as wait for it: a flush to the disk costs the same for one as for
 * hundreds. LMDB lets one transaction write at a time, over all processes, so a step never runs in vain.
 */
export class WriteBatches {
  readonly evictions: Evictions = { evicted: 0, evictedBlocks: 0 };
  readonly #file: RecordFile;
  readonly #clock: () => number;
  readonly #usableBytes: number;
  readonly #maxBatchBytes: number;
  readonly #maxBatchWrites: number;
  #waiting: Call[] = [];
  #isFull: boolean;
  #underWay: Promise<void> | null = null;

  constructor(file: RecordFile, maxBytes: number, clock: () => number) {
    this.#file = file;
    this.#clock = clock;
    this.#usableBytes = maxBytes * usableShare;
    this.#maxBatchBytes = maxBytes * batchShare;
    this.#maxBatchWrites = Math.ceil(this.#maxBatchBytes / bytesPerWrite);
    this.#isFull = file.usage().bytes > this.#usableBytes;
  }

  add(call: Call): void {
    this.#waiting.push(call);
    this.#underWay ??= this.#run();
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    await this.#underWay;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) await this.#commit();
    this.#underWay = null;
  }

  /** Answers the calls of one transaction, whatever happens. */
  async #commit(): Promise<void> {
    const batch = new Batch();
    try {
      await this.#file.transaction(() => this.#fill(batch));
      for (const answer of batch.answers) answer();
    } catch (error) {
      const fault = await writeFault(error);
      // A transaction that did not even begin has taken no call: then all that waits has met the fault.
      for (const call of batch.calls.length > 0 ? batch.calls : this.#waiting.splice(0)) call.reject(fault);
    }
    this.#isFull = this.#file.usage().bytes > this.#usableBytes;
  }

  /** Takes what waits when the transaction has begun, as much as fits; the rest goes into the next one. */
  #fill(batch: Batch): void {
    const now = this.#clock();
    const waiting = this.#waiting;
    for (const call of waiting) {
      if (this.#isEnough(batch)) break;
      batch.calls.push(call);
      if (!call.isOver) this.#apply(call, batch, now);
    }
    this.#waiting = waiting.slice(batch.calls.length);
    if (batch.writes === 0) return;
    this.#file.noteTime(now);
    this.#makeRoom(batch, now);
  }

  #isEnough({ calls, writes, bytes }: Batch): boolean {
    return calls.length >= maxCalls || writes >= this.#maxBatchWrites || bytes >= this.#maxBatchBytes;
  }

  /** Runs a step on what the ones before it have written. */
  #apply(call: Call, batch: Batch, now: number): void {
    const { answer, entries } = this.#outcomeOf(call, now);
    for (const [text, entry] of entries) batch.bytes += this.#file.write(text, entry);
    batch.writes += entries.length;
    batch.answers.push(answer);
  }

  /** What a step makes, before anything of it is written: one that fails leaves nothing behind. */
  #outcomeOf(call: Call, now: number): { answer: () => void; entries: [string, Entry][] } {
    const find: FindRecord = (text, form) => {
      const entry = this.#file.find(text);
      return entry === undefined ? undefined : recordAt(entry, now, form);
    };
    const records = new StepRecords(call.keys, find, 'step');
    try {
      const answer = call.run(records, now);
      return { answer, entries: this.#entriesOf(records.puts, now) };
    } catch (error) {
      return { answer: () => call.reject(error), entries: [] };
    } finally {
      records.end();
    }
  }

  #entriesOf(puts: ReadonlyMap<string, Put>, now: number): [string, Entry][] {
    const entries = [...puts].map(([text, put]): [string, Entry] => [text, entryOf(put, now)]);
    const bytes = entries.reduce((sum, [text, { json }]) => sum + text.length + json.length, 0);
    if (bytes <= this.#maxBatchBytes) return entries;
    throw new Fault(
      'STORE_FULL',
      `One step puts ${bytes} bytes, more than the store's bound leaves room for.`,
    );
  }

  #makeRoom({ writes, bytes }: Batch, now: number): void {
    this.#file.sweep(now, dropsPerWrite * writes);
    if (!this.#isFull) return;
    const { dropped, blocks } = this.#file.makeRoom(dropsPerWrite * bytes);
    this.evictions.evicted += dropped;
    this.evictions.evictedBlocks += blocks;
  }
}
