import type { CommandIo } from '../streams.ts';

const FIRST_SHOWN_MS = 2_000;
const SHOWN_EVERY_MS = 500;

/** Progress on a terminal, for anything that takes more than two seconds. */
export class Progress {
  readonly #io: CommandIo;
  readonly #startedAt = performance.now();
  #shownAt = 0;

  constructor(io: CommandIo) {
    this.#io = io;
  }

  show(events: number): void {
    const now = performance.now();
    const elapsedMs = now - this.#startedAt;
    if (!this.#io.isTerminal || elapsedMs < FIRST_SHOWN_MS || now - this.#shownAt < SHOWN_EVERY_MS) return;
    this.#shownAt = now;
    const rate = Math.round(events / (elapsedMs / 1_000));
    this.#io.stderr.write(`\r${events.toLocaleString('en')} events, ${rate.toLocaleString('en')}/s\u001b[K`);
  }

  clear(): void {
    if (this.#shownAt > 0) this.#io.stderr.write('\r\u001b[K');
  }
}
