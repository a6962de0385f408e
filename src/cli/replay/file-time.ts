import { DAY_MS } from '../../core/duration.ts';
import { EarliestLately } from './earliest-lately.ts';

/** Logs of several hosts, one after the other, are about the same month at most. */
const forgottenAfterMs = 30 * DAY_MS;

/**
 * The time of a file, for the store that its records are in. What has expired is kept for another while: a file's time may run
 * backwards, and one line that is far ahead of all others makes nothing forgotten.
 */
export class FileTime {
  #now = 0;
  readonly #lately = new EarliestLately();

  readonly clock = (): number => this.#now;

  readonly sweptBy = (): number => this.#lately.earliest - forgottenAfterMs;

  readonly set = (t: number): void => {
    this.#now = t;
    this.#lately.note(t);
  };
}
