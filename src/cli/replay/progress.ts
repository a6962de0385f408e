import { waitText } from '../../core/span-text.ts';
import type { CommandIo } from '../streams.ts';

const FIRST_SHOWN_MS = 2_000;
const SHOWN_EVERY_MS = 500;
const BAR_WIDTH = 24;

/** Progress on a terminal, for anything that takes more than two seconds: a bar where the end is known, and the rate. */
export class Progress {
  readonly #io: CommandIo;
  readonly #share: () => number | null;
  readonly #now: () => number;
  readonly #startedAt: number;
  #shownAt = 0;

  /** @param share how much is done, from 0 to 1; null while nobody knows */
  constructor(io: CommandIo, share: () => number | null = () => null, now = () => performance.now()) {
    this.#io = io;
    this.#share = share;
    this.#now = now;
    this.#startedAt = now();
  }

  show(events: number): void {
    if (!this.#io.isTerminal) return;
    const now = this.#now();
    const elapsedMs = now - this.#startedAt;
    if (elapsedMs < FIRST_SHOWN_MS || now - this.#shownAt < SHOWN_EVERY_MS) return;
    this.#shownAt = now;
    this.#io.stderr.write(`\r${progressText(events, elapsedMs, this.#share())}\u001b[K`);
  }

  clear(): void {
    if (this.#shownAt > 0) this.#io.stderr.write('\r\u001b[K');
    this.#shownAt = 0;
  }
}

/** One line: bar, share, events, rate and, when the end is known, the time that is left. */
export function progressText(events: number, elapsedMs: number, share: number | null): string {
  const rate = Math.round(events / (elapsedMs / 1_000));
  const counts = `${events.toLocaleString('en')} events, ${rate.toLocaleString('en')}/s`;
  if (share === null || share <= 0) return counts;
  const filled = Math.round(share * BAR_WIDTH);
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`;
  return `${bar} ${Math.floor(share * 100)} %  ${counts}, ${waitText((elapsedMs * (1 - share)) / share)} left`;
}
