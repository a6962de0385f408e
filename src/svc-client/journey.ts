import { AsyncLocalStorage } from 'node:async_hooks';
import type { HopPath } from './hops.ts';
import {
  lendRetries,
  openLedger,
  type RetryLedger,
  settleLedger,
  spendRetry,
  takeBack,
} from './retry-ledger.ts';
import type { TraceContext } from './trace-context.ts';

export interface JourneyStart {
  readonly requestId: string;
  /** The services so far, this one last. */
  readonly hops: HopPath;
  readonly retries: number;
  /** When the caller stops waiting, on the clock of this process. */
  readonly deadlineAt: number;
  /** When calls made for it have to end, so that time is left to answer. Default: the deadline. */
  readonly callsUntil?: number;
  readonly trace: TraceContext | null;
}

/** One request on its way through this service: what came in with it and what its calls have used up. */
export class Journey {
  readonly requestId: string;
  readonly hops: HopPath;
  readonly deadlineAt: number;
  readonly callsUntil: number;
  readonly trace: TraceContext | null;
  private path: string | null = null;
  private ledger: RetryLedger;
  private failed = false;

  constructor(start: JourneyStart) {
    this.requestId = start.requestId;
    this.hops = start.hops;
    this.deadlineAt = start.deadlineAt;
    this.callsUntil = start.callsUntil ?? start.deadlineAt;
    this.trace = start.trace;
    this.ledger = openLedger(start.retries);
  }

  /** The hops as text, as a passport has them. */
  get hopText(): string {
    this.path ??= pathOf(this.hops);
    return this.path;
  }

  /** Retries that may still be made or lent. */
  get retriesLeft(): number {
    return this.ledger.left;
  }

  /** Whether a call of this request has failed for good. */
  get failedBelow(): boolean {
    return this.failed;
  }

  noteFailedCall(): void {
    this.failed = true;
  }

  /** Takes one retry; false when none is left. */
  spendRetry(): boolean {
    const spent = spendRetry(this.ledger);
    if (spent !== null) this.ledger = spent;
    return spent !== null;
  }

  /** Sets aside what the next call is lent. */
  lend(): number {
    const { ledger, lent } = lendRetries(this.ledger);
    this.ledger = ledger;
    return lent;
  }

  takeBack(lent: number, unused: number): void {
    this.ledger = takeBack(this.ledger, lent, unused);
  }

  /** What goes back to the caller; from now on nothing is left here. */
  settle(): number {
    const { ledger, unused } = settleLedger(this.ledger);
    this.ledger = ledger;
    return unused;
  }
}

/** To join one text costs more than to find that it is the only one. */
function pathOf(hops: HopPath): string {
  return hops.length === 1 ? String(hops[0]) : hops.join('>');
}

const journeys = new AsyncLocalStorage<Journey>();

/** The journey of the request that is being handled, if there is one. */
export function currentJourney(): Journey | undefined {
  return journeys.getStore();
}

/** Runs the handler of a request; all calls made in it belong to its journey. */
export function runInJourney<T>(journey: Journey, handle: () => T): T {
  return journeys.run(journey, handle);
}
