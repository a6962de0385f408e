import type { Database, RootDatabase } from 'lmdb';
import { HOUR_MS } from '../../core/duration.ts';
import type { Key, StoredRecord } from '../../core/records.ts';
import { QUARANTINE_MS } from '../quarantine.ts';
import { recordOfJson } from '../record-json.ts';
import { isSamePlace, minuteOf, type Place, placeOf } from './drop-order.ts';
import { type Entry, entryOfText, isReadable, textOfEntry } from './entry.ts';
import { FileMarks } from './file-marks.ts';

/** What a file holds. */
export interface FileUsage {
  readonly records: number;
  /** Pages in use, in bytes; the rest of the file is free for the next ones. */
  readonly bytes: number;
}

/** Enough to see what went wrong; what comes after that is dropped. */
const mostInQuarantine = 1_000;

/** How often the quarantine is looked through. */
const releaseEveryMs = HOUR_MS;

/** How often the time is noted: by as much a process that starts may be behind. */
const noteTimeEveryMs = 1_000;

/** How many places are looked at in one go. */
const pageSize = 256;

/**
 * The records in the file and the order in which they are dropped, kept in step: whatever changes them runs inside one
 * write transaction.
 */
export class RecordFile {
  readonly #root: RootDatabase<string, string>;
  readonly #records: Database<string, string>;
  /** Places, with nothing under them. */
  readonly #order: Database<string, [string, number, string]>;

  readonly #probe: Database<string, string>;
  /** Texts that could not be read, under the names they had; before each the time at which it was set aside. */
  readonly #quarantine: Database<string, string>;
  readonly #marks: FileMarks;
  /** The time that its records had reached when it was opened; −∞ where they have not. */
  readonly reachedMs: number;
  #noteTimeAt = Number.NEGATIVE_INFINITY;
  #releaseAt = Number.NEGATIVE_INFINITY;

  constructor(root: RootDatabase<string, string>) {
    this.#root = root;
    this.#records = root.openDB('records', { encoding: 'string' });
    this.#order = root.openDB('order', { encoding: 'string' });
    this.#probe = root.openDB('probe', { encoding: 'string' });
    this.#quarantine = root.openDB('quarantine', { encoding: 'string' });
    this.#marks = new FileMarks(root);
    this.reachedMs = this.#marks.reachedMs();
  }

  /** Resolves when others that have the file open reckon with this one. */
  enter(): Promise<void> {
    return this.#marks.enter();
  }

  /** Writes something that is no record. */
  touch(now: number): void {
    this.#probe.putSync('touched', String(now));
  }

  /**
   * Notes the time of a transaction that has written: a process that starts after the clock was set back goes on from there.
   * Else a block of a minute would last as long as the clock was set back by.
   */
  noteTime(now: number): void {
    if (now < this.#noteTimeAt) return;
    this.#noteTimeAt = now + noteTimeEveryMs;
    this.#marks.noteTime(now);
  }

  /** Runs `work` in a write transaction; resolves when what it wrote is on the disk. */
  transaction(work: () => void): Promise<void> {
    return this.#marks.transaction(work);
  }

  /** From now on reads see the latest commit, of whichever process. */
  refresh(): void {
    this.#root.resetReadTxn();
  }

  /** The same for {@link read}. */
  follow(): void {
    this.#marks.follow();
  }

  /** The record that counts at this time, outside of transactions; the one under the key's previous text if there is none. */
  read(key: Key, now: number): StoredRecord | undefined {
    const { known } = this.#marks;
    const { record, expiresAt } = known.find(key) ?? this.#learn(key.text, now, key.form);
    if (record !== undefined && now < expiresAt) return record;
    if (key.was === null) return undefined;
    const previous = known.findText(key.was) ?? this.#learn(key.was, now, key.form);
    return now < previous.expiresAt ? previous.record : undefined;
  }

  /** Reads an entry, within a transaction as it stands there. */
  find(text: string): Entry | undefined {
    const stored = this.#records.get(text);
    return stored === undefined ? undefined : entryOfText(stored);
  }

  /** Whether the record could not be read, and was set aside. Its place in the order goes when its turn comes. */
  setAside(text: string, form: string | undefined, now: number): boolean {
    const stored = this.#records.get(text);
    if (stored === undefined || isReadable(stored, form)) return false;
    this.#release(now);
    if (pagesOf(this.#quarantine.getStats()).entries < mostInQuarantine)
      this.#quarantine.putSync(text, `${now} ${stored}`);
    this.#remove(text);
    return true;
  }

  /** Returns what the entry counts, in bytes. */
  write(text: string, entry: Entry): number {
    const before = this.find(text);
    const place = placeOf(text, entry);
    const placeBefore = before === undefined ? null : placeOf(text, before);
    const stored = textOfEntry(entry);
    this.#put(text, stored);
    if (placeBefore === null || !isSamePlace(placeBefore, place)) {
      if (placeBefore !== null) this.#order.removeSync([...placeBefore]);
      this.#order.putSync([...place], '');
    }
    return text.length + stored.length;
  }

  /**
   * Drops records that have expired and gives records whose block has ended the place of one without a block; up to
   * `max` in all.
   */
  sweep(now: number, max: number): void {
    if (now >= this.#releaseAt) this.#release(now);
    const minute = minuteOf(now);
    const ended = this.#places(['held', 0, ''], ['held', minute, ''], max);
    for (const place of ended) this.#endBlock(place, now);
    if (ended.length === max) return;
    for (const place of this.#places(['free', 0, ''], ['free', minute, ''], max - ended.length))
      this.#drop(place);
  }

  /**
   * Drops records until they count `bytes`: first those without a block, the soonest to expire first, then those
   * whose block ends soonest. Returns how many it dropped, and how many of these were blocked.
   */
  makeRoom(bytes: number): { dropped: number; blocks: number } {
    let [dropped, blocks, freed] = [0, 0, 0];
    while (freed < bytes) {
      const places = this.#places(['free', 0, ''], ['held', Number.POSITIVE_INFINITY, ''], pageSize);
      if (places.length === 0) break;
      for (const place of places) {
        if (freed >= bytes) break;
        freed += this.#drop(place);
        dropped += 1;
        if (place[0] === 'held') blocks += 1;
      }
    }
    return { dropped, blocks };
  }

  /** Records whose block ends in this minute or later, a page at a time; `after` is the last place of the page before. */
  heldPage(now: number, after: Place | null): Place[] {
    const start = after ?? (['held', minuteOf(now), ''] as const);
    return this.#places(start, ['held', Number.POSITIVE_INFINITY, ''], pageSize, after !== null);
  }

  usage(): FileUsage {
    const records = pagesOf(this.#records.getStats());
    const order = pagesOf(this.#order.getStats());
    return { records: records.entries, bytes: records.bytes + order.bytes };
  }

  /** lmdb resets its read transaction by a timer, which throws if the file was closed before. */
  async close(): Promise<void> {
    this.#marks.leave();
    this.#root.resetReadTxn();
    await this.#root.close();
  }

  /** Drops what has been in quarantine for long enough. */
  #release(now: number): void {
    this.#releaseAt = now + releaseEveryMs;
    const old = [...this.#quarantine.getRange()].filter(({ value }) => {
      const setAsideAt = Number(value.slice(0, value.indexOf(' ')));
      return !(now < setAsideAt + QUARANTINE_MS);
    });
    for (const { key } of old) this.#quarantine.removeSync(key);
  }

  #endBlock(place: Place, now: number): void {
    const [, , text] = place;
    const stored = this.#records.get(text);
    const entry = stored === undefined || !isReadable(stored) ? undefined : entryOfText(stored);
    if (entry === undefined || entry.expiresAt <= now || !isSamePlace(placeOf(text, entry), place))
      this.#drop(place);
    else this.write(text, { ...entry, heldUntil: 0 });
  }

  /** Takes a place out of the order, and with it its record, unless that has another place by now. */
  #drop(place: Place): number {
    const [, , text] = place;
    this.#order.removeSync([...place]);
    const stored = this.#records.get(text);
    if (stored === undefined) return text.length;
    if (isReadable(stored) && !isSamePlace(placeOf(text, entryOfText(stored)), place)) return text.length;
    this.#remove(text);
    return text.length + stored.length;
  }

  #put(text: string, stored: string): void {
    this.#marks.noteChange(text);
    this.#records.putSync(text, stored);
  }

  #remove(text: string): void {
    this.#marks.noteChange(text);
    this.#records.removeSync(text);
  }

  /** What has expired is not parsed: nobody asks whether it can be read. */
  #learn(
    text: string,
    now: number,
    form: string | undefined,
  ): { record: StoredRecord | undefined; expiresAt: number } {
    const { known } = this.#marks;
    const stored = this.#records.get(text);
    if (stored === undefined) return known.learn(text, undefined, 0, 0);
    const { expiresAt, json } = entryOfText(stored);
    if (now >= expiresAt) return { record: undefined, expiresAt };
    return known.learn(text, recordOfJson(json, form), expiresAt, json.length);
  }

  #places(start: Place, end: Place, limit: number, exclusiveStart = false): Place[] {
    const places: Place[] = [];
    const range = this.#order.getKeys({ start: [...start], end: [...end], limit, exclusiveStart });
    for (const [band, minute, text] of range) places.push([band === 'held' ? 'held' : 'free', minute, text]);
    return places;
  }
}

/** lmdb does not type its statistics. */
function pagesOf(stats: object): { entries: number; bytes: number } {
  const {
    pageSize = 0,
    treeBranchPageCount = 0,
    treeLeafPageCount = 0,
    overflowPages = 0,
    entryCount = 0,
  } = stats as {
    readonly [name: string]: number;
  };
  return { entries: entryCount, bytes: pageSize * (treeBranchPageCount + treeLeafPageCount + overflowPages) };
}
