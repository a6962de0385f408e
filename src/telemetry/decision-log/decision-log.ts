import type { DecidedCall } from '../../guard/witness.ts';
import { LogFile } from './log-file.ts';
import { decisionLogLine, droppedLine } from './log-line.ts';
import { PendingLines } from './pending-lines.ts';

export interface DecisionLogSettings {
  /** Absolute. */
  readonly file: string;
  /** How large the file may grow before it becomes `FILE.1`. */
  readonly maxBytes: number;
  /** How much may wait for the disk; what comes above it is dropped and counted. */
  readonly bufferBytes: number;
  /** How long a line may wait for others to be written with. */
  readonly flushMs: number;
}

/** What a decision log tells of itself. */
export interface DecisionLogListener {
  written(lines: number): void;
  dropped(lines: number): void;
  /** The file could not be opened, moved or written. Told for every try. */
  failed(cause: unknown, isFirst: boolean): void;
  /** It can be written again. @param dropped lines that were lost meanwhile */
  recovered(dropped: number): void;
}

const RETRY_MS = 1_000;
/** A disk that hangs must not keep the process from ending. */
const CLOSE_WITHIN_MS = 5_000;

/**
 * Writes every decision to a file, with the hashes it rests on, so that it can be decided again by other rules. Neither
 * memory nor a decision depends on the disk: lines wait in a bounded room, what does not fit is dropped and counted, and a line
 * in the file says how many are missing where.
 */
export class DecisionLog {
  readonly #pending: PendingLines;
  readonly #file: LogFile;
  readonly #flushMs: number;
  readonly #listener: DecisionLogListener;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;
  #isFailing = false;
  /** Dropped since the last line that told of it, and since the file failed. */
  #untold = 0;
  #lost = 0;
  #lastTime = 0;
  #isClosed = false;

  constructor(settings: DecisionLogSettings, listener: DecisionLogListener) {
    this.#pending = new PendingLines(settings.bufferBytes);
    this.#file = new LogFile(settings.file, settings.maxBytes);
    this.#flushMs = settings.flushMs;
    this.#listener = listener;
  }

  /** Takes a decision to be written soon. Never waits, never throws because of the disk. */
  readonly add = (decided: DecidedCall): void => {
    this.#lastTime = decided.t;
    const line = decisionLogLine(decided);
    const gap = this.#untold === 0 ? '' : droppedLine(decided.t, this.#untold);
    if (this.#isClosed || !this.#pending.hasRoomFor(gap.length + line.length)) {
      this.#drop(1);
      return;
    }
    if (gap !== '') this.#tellGap(gap);
    this.#pending.add(line);
    this.#schedule();
  };

  /** Opens the file, so that a place that cannot be written shows at once, and writes what waits. */
  start(): void {
    this.#cancel();
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
      if (this.#isFailing) this.#timer ??= this.#later(RETRY_MS);
      else if (!this.#pending.isEmpty) this.#schedule();
    });
  }

  /** Writes what waits and closes the file. What the disk does not take in five seconds is dropped and told. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#untold > 0) this.#tellGap(droppedLine(this.#lastTime, this.#untold));
    await within(CLOSE_WITHIN_MS, this.#finish());
    const left = this.#pending.count();
    if (left > 0) this.#drop(left);
  }

  async #finish(): Promise<void> {
    await this.#writing;
    this.#cancel();
    await this.#write();
    await this.#file.close().catch((cause: unknown) => this.#fail(cause));
  }

  #drop(lines: number): void {
    this.#untold += lines;
    this.#lost += lines;
    this.#listener.dropped(lines);
  }

  #tellGap(line: string): void {
    this.#pending.add(line);
    this.#untold = 0;
  }

  /** After a failure the next try has its own time, whatever comes in. */
  #schedule(): void {
    if (this.#writing !== null || (this.#isFailing && this.#timer !== null)) return;
    if (this.#pending.hasChunk && !this.#isFailing) this.start();
    else this.#timer ??= this.#later(this.#flushMs);
  }

  #later(delayMs: number): NodeJS.Timeout {
    const timer = setTimeout(() => this.start(), delayMs);
    timer.unref();
    return timer;
  }

  #cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** One chunk after the other; ends at the first that the disk refuses. */
  async #write(): Promise<void> {
    try {
      await this.#file.open();
      for (let chunk = this.#pending.first(); chunk !== undefined; chunk = this.#pending.first()) {
        await this.#file.append(chunk);
        this.#pending.dropFirst();
        this.#listener.written(chunk.lines);
      }
    } catch (cause) {
      this.#fail(cause);
      return;
    }
    if (this.#isFailing) this.#recover();
  }

  #fail(cause: unknown): void {
    if (!this.#isFailing) this.#lost = 0;
    this.#listener.failed(cause, !this.#isFailing);
    this.#isFailing = true;
  }

  #recover(): void {
    this.#isFailing = false;
    this.#listener.recovered(this.#lost);
    this.#lost = 0;
  }
}

async function within(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, end]);
  clearTimeout(timer);
}
