/**
 * Attempts that `check` has counted and that have not ended yet. The `fail` or `succeed` of such an attempt counts
 * nothing; one that finds none here was never checked, and counts.
 *
 * Bounded by the caps: only a counted attempt is opened, and it is forgotten after `keepMs`.
 */
export class OpenAttempts {
  readonly #keepMs: number;
  /** Times at which attempts were opened, by subject; subjects in the order of their last one. */
  readonly #opened = new Map<string, readonly number[]>();

  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  get size(): number {
    return this.#opened.size;
  }

  open(subject: string, now: number): void {
    this.#forgetOld(now);
    const open = this.#live(subject, now);
    this.#opened.delete(subject);
    this.#opened.set(subject, [...open, now]);
  }

  /** Ends the attempt that was opened first. False when there is none. */
  settle(subject: string, now: number): boolean {
    const open = this.#live(subject, now);
    if (open.length > 1) this.#opened.set(subject, open.slice(1));
    else this.#opened.delete(subject);
    return open.length > 0;
  }

  /** Ends the attempt that was opened last, which was none after all. Gives when that was; null when there is none. */
  withdraw(subject: string, now: number): number | null {
    const open = this.#live(subject, now);
    if (open.length > 1) this.#opened.set(subject, open.slice(0, -1));
    else this.#opened.delete(subject);
    return open.at(-1) ?? null;
  }

  /** Forgets all: what was counted in one degraded epoch pays for nothing in the next. */
  clear(): void {
    this.#opened.clear();
  }

  #live(subject: string, now: number): readonly number[] {
    return (this.#opened.get(subject) ?? []).filter((at) => at > now - this.#keepMs);
  }

  #forgetOld(now: number): void {
    for (const [subject, times] of this.#opened) {
      if ((times.at(-1) ?? 0) > now - this.#keepMs) return;
      this.#opened.delete(subject);
    }
  }
}
