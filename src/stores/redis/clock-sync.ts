import { Fault, shapeOf } from '../../core/fault.ts';
import type { Link } from './link.ts';
import { clockScript } from './scripts.ts';
import type { StoreClock } from './store-clock.ts';

/**
 * The key whose master tells the time. On a cluster every node has a clock of its own; processes agree only if all
 * of them ask the same one, and the master of one fixed slot is the same for all without any of them choosing it. While
 * that master does not answer, the others are asked in one fixed order: a cluster must be usable without any one node.
 */
const referenceKey = 'portcullis-clock';
const standIns = 16;
/** How often the server is asked again: a clock that was set shows after this, and drift stays far below a millisecond. */
const refreshMs = 5_000;
/** Until the first answer no operation can run, so that is asked for more often. */
const firstMs = 100;

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (fault: Fault) => void;
}

/** Keeps the clock set to the server's time. */
export class ClockSync {
  readonly #link: Link;
  readonly #clock: StoreClock;
  readonly #monotonicMs: () => number;
  #timer: NodeJS.Timeout | undefined;
  #isNewConnection = false;
  /** How many references in a row have not answered. */
  #silent = 0;
  /** Why the server does not tell its time; null while there is hope. */
  #refusal: Fault | null = null;
  readonly #waiters: Waiter[] = [];

  constructor(link: Link, clock: StoreClock, monotonicMs: () => number) {
    this.#link = link;
    this.#clock = clock;
    this.#monotonicMs = monotonicMs;
  }

  /**
   * Resolves once the server has told its time for the first time; rejects as soon as it refuses to. What is only not
   * answered in time is asked again, and on a cluster so are the stand-ins.
   */
  whenSet(): Promise<void> {
    if (this.#clock.isSet) return Promise.resolve();
    if (this.#refusal !== null) return Promise.reject(this.#refusal);
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
    });
  }

  /** Asks now, because another server may be answering, and regularly from now on. */
  restart(): void {
    this.#isNewConnection = true;
    this.#refusal = null;
    void this.#ask();
  }

  /** Whoever still waits is told this. */
  stop(fault: Fault): void {
    clearTimeout(this.#timer);
    this.#refuse(fault);
  }

  /** An answer that does not come, or makes no sense, leaves the clock as it is. */
  async #ask(): Promise<void> {
    clearTimeout(this.#timer);
    const sentAtMs = this.#monotonicMs();
    try {
      const serverMs = timeIn(await this.#link.run(clockScript, [this.#reference()], []));
      this.#clock.observe(serverMs, sentAtMs, this.#monotonicMs(), this.#isNewConnection);
      this.#isNewConnection = false;
      this.#silent = 0;
      for (const { resolve } of this.#waiters.splice(0)) resolve();
      this.#askIn(refreshMs);
    } catch (cause) {
      this.#silent += 1;
      const isLast = !this.#link.isCluster || this.#silent >= standIns;
      if (isLast && cause instanceof Fault && cause.code !== 'STORE_TIMEOUT') this.#refuse(cause);
      this.#askIn(this.#clock.isSet ? refreshMs : firstMs);
    }
  }

  #refuse(fault: Fault): void {
    this.#refusal = fault;
    for (const { reject } of this.#waiters.splice(0)) reject(fault);
  }

  #reference(): string {
    const standIn = this.#silent % standIns;
    return standIn === 0 || !this.#link.isCluster ? referenceKey : `${referenceKey}:${standIn}`;
  }

  #askIn(delayMs: number): void {
    clearTimeout(this.#timer);
    if (this.#link.isClosed) return;
    this.#timer = setTimeout(() => void this.#ask(), delayMs);
    this.#timer.unref();
  }
}

/** Milliseconds, with a fraction, out of the two texts of `TIME`. */
function timeIn(reply: unknown): number {
  const [seconds, microseconds] = Array.isArray(reply) ? reply.map(Number) : [];
  const time = (seconds ?? Number.NaN) * 1_000 + (microseconds ?? Number.NaN) / 1_000;
  if (Number.isFinite(time)) return time;
  throw new Fault('STORE_FAILED', `Redis told its time as ${shapeOf(reply)}.`);
}
