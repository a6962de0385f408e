/** Where lines go, and what is said of those that were lost. */
export interface LineOutletParts {
  /**
   * Writes bytes from an offset on, at once or not at all, and gives how many it wrote.
   *
   * @throws whatever the system says when it takes none now
   */
  readonly write: (bytes: Buffer, offset: number) => number;
  /** The line that says how many were lost. */
  readonly lostLine: (count: number) => string;
  /** The most that waits to be written; what comes on top is lost and counted. Default 1 MiB. */
  readonly mostWaitingBytes?: number;
}

const defaultWaitingBytes = 1024 * 1024;
const retryMs = 250;
/** A reader that is only slow hears the last lines; one that sleeps does not hold the end of the process. */
const lastWordsMs = 1_000;
const lastWordsPauseMs = 10;

/**
 * Writes lines in their order, each before `write` returns where the system takes it. What is not taken (a reader that
 * sleeps, a disk that is full) waits and is tried again; a service must neither stop nor grow because its log does.
 */
export class LineOutlet {
  readonly #parts: LineOutletParts;
  readonly #mostWaitingBytes: number;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** How much of the first one is out already. */
  #offset = 0;
  #lost = 0;
  #isReaderSlow = false;
  #retry: NodeJS.Timeout | null = null;

  constructor(parts: LineOutletParts) {
    this.#parts = parts;
    this.#mostWaitingBytes = parts.mostWaitingBytes ?? defaultWaitingBytes;
  }

  /** Never throws and never waits. */
  write(line: string): void {
    this.#flush();
    const isStuck = this.#waiting.length > 0;
    this.#admit(line);
    if (!isStuck) this.#flush();
  }

  #admit(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#waiting.length > 0 && this.#waitingBytes + bytes.length > this.#mostWaitingBytes) {
      this.#lost += 1;
      return;
    }
    this.#tellLost();
    this.#push(bytes);
  }

  /** Stands where the lost lines would: after those that were kept, before those that come. */
  #tellLost(): void {
    if (this.#lost === 0) return;
    this.#push(Buffer.from(this.#parts.lostLine(this.#lost)));
    this.#lost = 0;
  }

  #push(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
  }

  #flush(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (!this.#take(first)) {
        this.#tryAgainLater();
        return;
      }
      if (this.#waiting.length === 0) this.#tellLost();
    }
    this.#rest();
  }

  /** Whether something of it was taken. */
  #take(first: Buffer): boolean {
    let written = 0;
    try {
      written = this.#parts.write(first, this.#offset);
    } catch (error) {
      // The log is the place where faults are told: there is no other for its own.
      this.#isReaderSlow = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
    }
    this.#offset += written;
    if (this.#offset === first.length) {
      this.#waiting.shift();
      this.#waitingBytes -= first.length;
      this.#offset = 0;
    }
    return written > 0;
  }

  #tryAgainLater(): void {
    if (this.#retry !== null) return;
    this.#retry = setInterval(() => this.#flush(), retryMs);
    this.#retry.unref();
    process.once('exit', this.#sayLastWords);
  }

  #rest(): void {
    if (this.#retry === null) return;
    clearInterval(this.#retry);
    this.#retry = null;
    process.off('exit', this.#sayLastWords);
  }

  readonly #sayLastWords = (): void => {
    const until = performance.now() + lastWordsMs;
    this.#flush();
    while (this.#waiting.length > 0 && this.#isReaderSlow && performance.now() < until) {
      sleep(lastWordsPauseMs);
      this.#flush();
    }
  };
}

/** Holds the thread: at the end of a process there is no event loop to wait in. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
