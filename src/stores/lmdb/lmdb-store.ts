import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { Fault, invariant } from '../../core/fault.ts';
import type { Key, Records, StoredRecord } from '../../core/records.ts';
import { Deadlines } from '../deadlines.ts';
import { assertOneGroup } from '../group-tag.ts';
import { PendingCall } from '../pending-call.ts';
import { PendingGroups } from '../pending-groups.ts';
import { formsOf } from '../step-records.ts';
import type { HeldRecord, Store } from '../store.ts';
import { UnderWay } from '../under-way.ts';
import { ifReadable } from '../unreadable.ts';
import { untilAborted } from '../until-aborted.ts';
import type { Place } from './drop-order.ts';
import { recordAt } from './entry.ts';
import { KnownRecord } from './known-records.ts';
import { LookRecords } from './look-records.ts';
import { openFile } from './open-file.ts';
import type { LmdbSettings } from './options.ts';
import type { RecordFile } from './record-file.ts';
import { WriteBatches } from './write-batches.ts';

/** What an embedded store holds, and what this process had to give up of it. */
export interface LmdbUsage {
  readonly records: number;
  /** Pages in use, in bytes. */
  readonly bytes: number;
  /** Records dropped since the start because the bound was reached, not by expiry. */
  readonly evicted: number;
  /** Those of them whose block was still running: more than none means that the bound is too small. */
  readonly evictedBlocks: number;
}

/** A store in a folder of this machine. */
export interface LmdbStore extends Store {
  /** Resolves when the file is open, which may take longer than a deadline. */
  ready(): Promise<void>;
  usage(): Promise<LmdbUsage>;
}

/** lmdb takes keys of 1,978 bytes at most; this many characters always fit, with their place in front. */
const maxKeyLength = 600;

interface Opened {
  readonly file: RecordFile;
  readonly batches: WriteBatches;
  readonly clock: () => number;
}

/** See `createLmdbStore`. */
export class FolderStore implements LmdbStore {
  readonly #settings: LmdbSettings;
  readonly #deadlines: Deadlines;
  readonly #underWay = new UnderWay();
  readonly #pending = new PendingGroups();
  #opening: Promise<Opened> | null = null;
  /** Set once the file is open: then reading it waits for nothing. */
  #open: Opened | null = null;
  #isClosed = false;

  constructor(settings: LmdbSettings) {
    this.#settings = settings;
    this.#deadlines = new Deadlines('The embedded store', settings.deadlineMs, () => performance.now());
  }

  async ready(): Promise<void> {
    await this.#opened();
  }

  async view<T>(keys: readonly Key[], look: (records: Records, now: number) => T): Promise<T> {
    const opened = this.#open ?? (await this.#deadlines.limit(this.#opened()));
    return this.#show(opened, keys, look);
  }

  viewNow<T extends object>(keys: readonly Key[], look: (records: Records, now: number) => T): T | undefined {
    return this.#open === null ? undefined : this.#show(this.#open, keys, look);
  }

  #show<T>({ file, clock }: Opened, keys: readonly Key[], look: (records: Records, now: number) => T): T {
    assertKeys(keys);
    this.#assertOpen();
    file.follow();
    const now = clock();
    const records = new LookRecords(file, keys, now);
    try {
      return look(records, now);
    } finally {
      records.end();
    }
  }

  async transact<T>(keys: readonly Key[], step: (records: Records, now: number) => T): Promise<T> {
    assertKeys(keys);
    assertOneGroup(keys);
    const call = new PendingCall(keys, step, this.#deadlines);
    this.#opened().then(
      ({ batches }) => batches.add(call),
      (error: unknown) => call.reject(error),
    );
    if (keys.length > 0) this.#pending.count(keys, call.promise);
    return this.#underWay.track(call.promise);
  }

  hasPending(keys: readonly Key[]): boolean {
    return this.#pending.has(keys);
  }

  async setAside(keys: readonly Key[]): Promise<number> {
    assertKeys(keys);
    const { file, batches } = await this.#deadlines.limit(this.#opened());
    this.#assertOpen();
    const work = (_: Records, now: number) =>
      [...formsOf(keys)].filter(([text, form]) => file.setAside(text, form, now)).length;
    const call = new PendingCall([], work, this.#deadlines);
    batches.add(call);
    return this.#underWay.track(call.promise);
  }

  /** Writes, because only that shows a disk that is full or a lock that is not given back. */
  async ping(): Promise<void> {
    const { file, batches } = await this.#deadlines.limit(this.#opened());
    this.#assertOpen();
    const call = new PendingCall([], (_, now) => file.touch(now), this.#deadlines);
    batches.add(call);
    await this.#underWay.track(call.promise);
  }

  held(prefix: string, signal?: AbortSignal): AsyncGenerator<HeldRecord> {
    return untilAborted(this.#heldPages(prefix), signal);
  }

  async *#heldPages(prefix: string): AsyncGenerator<readonly HeldRecord[]> {
    const { file, clock } = await this.#opened();
    let after: Place | null = null;
    for (;;) {
      this.#assertOpen();
      file.refresh();
      const now = clock();
      const page = file.heldPage(now, after);
      const held: HeldRecord[] = [];
      for (const place of page) {
        after = place;
        const [, , text] = place;
        const value = text.startsWith(prefix) ? ifReadable(() => heldIn(file, text, now)) : undefined;
        if (value !== undefined) held.push({ key: text, value });
      }
      yield held;
      if (page.length === 0) return;
      // Pages come without a wait: however few of their records are asked for, others are served between them.
      await setImmediate();
    }
  }

  async usage(): Promise<LmdbUsage> {
    const { file, batches } = await this.#opened();
    this.#assertOpen();
    file.refresh();
    return { ...file.usage(), ...batches.evictions };
  }

  /** Calls under way are answered first. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#underWay.ended();
    const [opening] = await Promise.allSettled([this.#opening]);
    if (opening.status === 'rejected' || opening.value === null) return;
    await opening.value.batches.idle();
    await opening.value.file.close();
  }

  async #opened(): Promise<Opened> {
    this.#assertOpen();
    this.#opening ??= this.#openFile();
    return this.#opening;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new Fault('STORE_CLOSED', 'The embedded store was used after it was closed.');
  }

  /** A failed attempt is forgotten, so that the next call makes another one. */
  async #openFile(): Promise<Opened> {
    const { maxBytes, clockFrom } = this.#settings;
    try {
      const file = await openFile(this.#settings);
      const clock = clockFrom(file.reachedMs);
      this.#open = { file, batches: new WriteBatches(file, maxBytes, clock), clock };
      return this.#open;
    } catch (error) {
      this.#opening = null;
      throw error;
    }
  }
}

/** The record, while a block on it runs. */
function heldIn(file: RecordFile, text: string, now: number): StoredRecord | undefined {
  const entry = file.find(text);
  return entry !== undefined && entry.heldUntil > now ? recordAt(entry, now) : undefined;
}

/** A key that has led to a record before is not looked at again. */
function assertKeys(keys: readonly Key[]): void {
  for (const { text, was, mark } of keys) {
    if (mark instanceof KnownRecord) continue;
    invariant(
      isKeyText(text) && (was === null || isKeyText(was)),
      'A key is too long for the store or holds U+0000.',
    );
  }
}

function isKeyText(text: string): boolean {
  return text.length > 0 && text.length <= maxKeyLength && !text.includes('\0');
}
