import type { Key, StoredRecord } from '../../core/records.ts';

/** A record as it was read; undefined where there is none. */
export class KnownRecord {
  readonly record: StoredRecord | undefined;
  /** From this time on it counts as absent, in milliseconds. */
  readonly expiresAt: number;
  readonly owner: KnownRecords;
  /** Whether the file still holds this; one that is forgotten may live on as a key's bookmark. */
  isCurrent = true;
  /** What keeping it costs. */
  readonly chars: number;

  /** @param chars of its name and its JSON */
  constructor(owner: KnownRecords, record: StoredRecord | undefined, expiresAt: number, chars: number) {
    this.owner = owner;
    this.record = record;
    this.expiresAt = expiresAt;
    this.chars = chars + overhead;
  }
}

/** One write transaction of this process: which mark it found, which it leaves, and which records it changes. */
export interface OwnChange {
  readonly from: string | undefined;
  readonly to: string;
  readonly texts: ReadonlySet<string>;
}

/** What a record costs besides its text and its name, in characters, by estimate. */
const overhead = 100;

/**
 * What this process has read of the file. Every write transaction leaves a mark of its own in the file, so a snapshot with
 * the mark of the last one holds the same records, and what is known need not be read again: of all that a `check` costs
 * on this store, reading the same few records over and over was the largest part. A change by this process makes it
 * forget what was changed; a change by another one, everything.
 *
 * Bounded by characters: two generations, of which the older goes when the younger is full. What is still asked for moves
 * from the older into the younger.
 */
export class KnownRecords {
  readonly #mostChars: number;
  #mark: string | undefined;
  #change: OwnChange | null = null;
  #young = new Map<string, KnownRecord>();
  #old = new Map<string, KnownRecord>();
  #youngChars = 0;

  /** @param mostChars of both generations together */
  constructor(mostChars: number) {
    this.#mostChars = mostChars;
  }

  /** The records are now those of a snapshot with this mark. */
  follow(mark: string | undefined): void {
    if (mark === this.#mark) return;
    const change = this.#change;
    if (change !== null && change.from === this.#mark && change.to === mark) this.#forget(change.texts);
    else this.#forgetAll();
    this.#mark = mark;
  }

  /** This process is about to leave the mark of this change; its texts may still be added to. */
  expect(change: OwnChange): void {
    this.follow(change.from);
    this.#change = change;
  }

  /** Looks at the key's bookmark first, which takes no time at all. */
  find(key: Key): KnownRecord | undefined {
    const mark = key.mark as Partial<KnownRecord> | undefined;
    if (mark !== undefined && mark.owner === this && mark.isCurrent === true) return mark as KnownRecord;
    const found = this.findText(key.text);
    if (found !== undefined) key.mark = found;
    return found;
  }

  /** The same by text, for a name that a key has no bookmark for. */
  findText(text: string): KnownRecord | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const old = this.#old.get(text);
    if (old !== undefined) {
      this.#old.delete(text);
      this.#keep(text, old);
    }
    return old;
  }

  /** Keeps what a snapshot with the present mark holds under this name. */
  learn(text: string, record: StoredRecord | undefined, expiresAt: number, jsonChars: number): KnownRecord {
    const known = new KnownRecord(this, record, expiresAt, text.length + jsonChars);
    this.#keep(text, known);
    return known;
  }

  #keep(text: string, known: KnownRecord): void {
    this.#young.set(text, known);
    this.#youngChars += known.chars;
    if (this.#youngChars <= this.#mostChars / 2) return;
    for (const gone of this.#old.values()) gone.isCurrent = false;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngChars = 0;
  }

  #forget(texts: ReadonlySet<string>): void {
    for (const text of texts) {
      const known = this.#young.get(text) ?? this.#old.get(text);
      if (known === undefined) continue;
      known.isCurrent = false;
      this.#young.delete(text);
      this.#old.delete(text);
    }
  }

  #forgetAll(): void {
    for (const generation of [this.#young, this.#old]) {
      for (const known of generation.values()) known.isCurrent = false;
      generation.clear();
    }
    this.#youngChars = 0;
  }
}
