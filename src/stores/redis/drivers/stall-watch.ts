/**
 * Finds connections that take commands and answer none: a stopped server, or a host that is gone without a word,
 * which TCP would notice only after many minutes.
 */
export class StallWatch<Connection extends object> {
  readonly #stallMs: number;
  readonly #stalled: (connection: Connection) => void;
  readonly #waiting = new Map<Connection, { unanswered: number; sinceMs: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(stallMs: number, stalled: (connection: Connection) => void) {
    this.#stallMs = stallMs;
    this.#stalled = stalled;
  }

  /** Watches one command from when it is sent to when it is answered. */
  async watch<T>(connection: Connection, command: Promise<T>): Promise<T> {
    const state = this.#waiting.get(connection) ?? { unanswered: 0, sinceMs: performance.now() };
    if (state.unanswered === 0) state.sinceMs = performance.now();
    state.unanswered += 1;
    this.#waiting.set(connection, state);
    this.#timer ??= setInterval(() => this.#look(), this.#stallMs / 4).unref();
    try {
      return await command;
    } finally {
      state.unanswered -= 1;
      state.sinceMs = performance.now();
      if (state.unanswered === 0) this.#waiting.delete(connection);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#waiting.clear();
  }

  #look(): void {
    const nowMs = performance.now();
    for (const [connection, { sinceMs }] of this.#waiting) {
      if (nowMs - sinceMs <= this.#stallMs) continue;
      this.#waiting.delete(connection);
      this.#stalled(connection);
    }
  }
}
