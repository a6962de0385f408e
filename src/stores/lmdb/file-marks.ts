import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';
import type { Database, RootDatabase } from 'lmdb';
import { KnownRecords } from './known-records.ts';
import { lineOf, type Opener, withOpener } from './openers.ts';

/** Characters of the records that are known without reading them: some forty thousand of them. */
const mostKnownChars = 8 * 1024 * 1024;

/** For how long whoever was alone with the file may take it as unchanged without looking at it. */
const aloneMs = 20;
/** Timers may be early by a little. */
const waitMs = aloneMs + 5;
const tidyEveryMs = 10_000;

/** The keys of the database: the mark of the last change, who has the file open, and the latest time of a change, in ms. */
const changeKey = 0;
const openersKey = 1;
const timeKey = 2;

/**
 * The openers of this thread that are still open: one of its that is not among them has crashed. Shared by all copies of this
 * module that the thread has loaded.
 */
const openHere = setOfThread(Symbol.for('portcullis.lmdb.openers'));

function setOfThread(name: symbol): Set<string> {
  const holder = globalThis as { [name: symbol]: Set<string> | undefined };
  holder[name] ??= new Set();
  return holder[name];
}

/**
 * Tells whether the file has changed, without reading it where that is certain. Two rules make it exact over all processes:
 * whoever finds itself alone in the list of openers may trust what it knows for {@link aloneMs} from before that look on;
 * and whoever opens the file next to others waits for longer than that after it has entered itself into the list.
 * So nobody has written anything while somebody trusted.
 */
export class FileMarks {
  readonly known = new KnownRecords(mostKnownChars);
  readonly #root: RootDatabase<string, string>;
  readonly #marks: Database<string, number>;
  readonly #opener: Opener = { id: newId(), pid: process.pid, host: hostname() };
  readonly #ownLine = lineOf(this.#opener);
  #changes = 0;
  /** The names of the records that the transaction under way has changed; null before the first of them. */
  #changed: Set<string> | null = null;
  /** Until then what is known is what the file holds; monotonic, in ms. */
  #certainUntil = Number.NEGATIVE_INFINITY;
  #tidyAt = Number.NEGATIVE_INFINITY;
  #entered: Promise<void> | null = null;

  constructor(root: RootDatabase<string, string>) {
    this.#root = root;
    this.#marks = root.openDB('marks', { encoding: 'string', keyEncoding: 'uint32' });
  }

  /** Enters this opener into the list. Resolves when it may write; the first write waits for this, and tries again. */
  enter(): Promise<void> {
    this.#entered ??= this.#enter().catch((error: unknown) => {
      this.#entered = null;
      throw error;
    });
    return this.#entered;
  }

  /** One that has closed, or whose process has crashed, is taken out of the list by another. */
  leave(): void {
    openHere.delete(this.#opener.id);
  }

  /** From now on what is known is what the latest commit holds, of whichever process. */
  follow(): void {
    const now = performance.now();
    if (now < this.#certainUntil) return;
    this.#root.resetReadTxn();
    this.known.follow(this.#marks.get(changeKey));
    if (this.#marks.get(openersKey) === this.#ownLine) this.#certainUntil = now + aloneMs;
  }

  /** Runs `work` in a write transaction; resolves when what it wrote is on the disk. */
  async transaction(work: () => void): Promise<void> {
    await this.enter();
    try {
      await this.#root.transaction(() => {
        this.#changed = null;
        this.#tidy();
        work();
      });
    } finally {
      this.#certainUntil = Number.NEGATIVE_INFINITY;
    }
  }

  /** The latest time that was noted; −∞ where none was. */
  reachedMs(): number {
    const noted = Number(this.#marks.get(timeKey) ?? Number.NaN);
    return Number.isSafeInteger(noted) ? noted : Number.NEGATIVE_INFINITY;
  }

  /** Within a transaction. */
  noteTime(now: number): void {
    if (now > this.reachedMs()) this.#marks.putSync(timeKey, String(now));
  }

  /**
   * The transaction is about to change this record. The mark goes ahead of the first change: whatever of the transaction
   * comes to be, none of it comes without its mark.
   */
  noteChange(text: string): void {
    this.#changed ??= this.#leaveMark();
    this.#changed.add(text);
  }

  async #enter(): Promise<void> {
    openHere.add(this.#opener.id);
    let list = '';
    await this.#root.transaction(() => {
      list = this.#writeOpeners();
    });
    if (list !== this.#ownLine) await sleep(waitMs);
  }

  /**
   * Whoever has gone is found out now and then, so that the last one is alone again. Of one that was killed while it read,
   * lmdb would keep all pages of that moment, and let the file grow with every write.
   */
  #tidy(): void {
    const now = performance.now();
    if (now < this.#tidyAt) return;
    this.#tidyAt = now + tidyEveryMs;
    this.#root.readerCheck();
    if (this.#marks.get(openersKey) !== this.#ownLine) this.#writeOpeners();
  }

  #writeOpeners(): string {
    const list = withOpener(this.#marks.get(openersKey), this.#opener, isAlive);
    this.#marks.putSync(openersKey, list);
    return list;
  }

  #leaveMark(): Set<string> {
    this.#changes += 1;
    const to = `${this.#opener.id}:${this.#changes}`;
    const texts = new Set<string>();
    this.known.expect({ from: this.#marks.get(changeKey), to, texts });
    this.#marks.putSync(changeKey, to);
    return texts;
  }
}

/** Says of which thread it is: each has globals of its own, and nobody knows of those of another. */
const newId = (): string => `${threadId}-${randomUUID()}`;

const isOfThisThread = (id: string): boolean => id.startsWith(`${threadId}-`);

function isAlive(id: string, pid: number): boolean {
  if (pid === process.pid) return !isOfThisThread(id) || openHere.has(id);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user is there all the same.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
