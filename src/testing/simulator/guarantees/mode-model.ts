import type { Mode } from '../../../core/decision.ts';
import { MINUTE_MS, SECOND_MS } from '../../../core/duration.ts';

interface Probe {
  readonly at: number;
  readonly isHealthy: boolean;
}

interface OpenTime {
  readonly since: number;
  readonly shutUntil: number;
  readonly probes: Probe[];
}

/**
 * Engine contract §12 a second time, as plainly as it can be said: lists of what has happened, and questions to them.
 * The guard's own machine is held against it.
 */
export class ModeModel {
  readonly #isRate: boolean;
  #failures: number[] = [];
  readonly #entries: number[] = [];
  #open: OpenTime | null = null;

  constructor(isRate: boolean) {
    this.#isRate = isRate;
  }

  get isOpen(): boolean {
    return this.#open !== null;
  }

  /** An operation on the store has failed: three within 10 s trip the breaker. */
  fail(now: number): void {
    if (this.#open !== null) return;
    this.#failures.push(now);
    if (this.#failures.filter((at) => at > now - 10 * SECOND_MS).length < 3) return;
    const entries = this.#entries.filter((at) => at > now - 30 * MINUTE_MS);
    const isThird = entries.length >= 2;
    this.#open = { since: now, shutUntil: isThird ? now + 10 * MINUTE_MS : now, probes: [] };
    if (!isThird) this.#entries.push(now);
  }

  /** A probe that comes long after the last one says nothing about the time between them. */
  probe(at: number, isHealthy: boolean): void {
    if (this.#open === null) return;
    const { since, probes } = this.#open;
    const isInTime = at - (probes.at(-1)?.at ?? since) <= 10 * SECOND_MS;
    probes.push({ at, isHealthy: isHealthy && isInTime });
  }

  /** Closes the breaker if its time is over and the probes of the last 2 min have all succeeded. */
  advance(now: number): void {
    if (this.#open === null) return;
    const { since, shutUntil, probes } = this.#open;
    if (now < since + 5 * MINUTE_MS || now < shutUntil) return;
    const last = probes.filter(({ at }) => at > now - 2 * MINUTE_MS);
    const isProbed = now - (last.at(-1)?.at ?? since) <= 10 * SECOND_MS;
    if (!isProbed || last.some(({ isHealthy }) => !isHealthy)) return;
    this.#open = null;
    this.#failures = [];
  }

  /** The mode of a decision that is made without the store now. */
  modeWithoutStore(now: number): Mode {
    if (this.#open === null) return this.#isRate ? 'FAIL_OPEN' : 'FAIL_CLOSED';
    if (now < this.#open.shutUntil) return 'FAIL_CLOSED';
    return this.#isRate ? 'FAIL_OPEN' : 'DEGRADED';
  }
}
