import type { Key, Records, Retention, StoredRecord } from '../core/records.ts';

interface Held {
  value: StoredRecord;
  expiresAt: number;
}

/** Records kept in this process while the store fails; beyond them all clients of a kind share one. */
const mostRecords = 4_096;
/** A full table is looked through for expired records no more often than this. */
const sweepEveryMs = 1_000;

/**
 * Records of this process alone, for the time in which the store cannot be asked. Bounded: when it is full, records
 * that have expired go, and if that does not help all further clients share what the overflow record says.
 */
export class LocalRecords {
  readonly #held = new Map<string, Held>();
  #sweptAt = Number.NEGATIVE_INFINITY;

  /** Runs a step at once, over what this process remembers. */
  run<T>(step: (records: Records, now: number) => T, now: number): T {
    return step(
      {
        get: <R extends StoredRecord>(key: Key<R>) => this.#find(key, now)?.value as R | undefined,
        put: (key, value, retention) => this.#put(key, value, retention, now),
      },
      now,
    );
  }

  clear(): void {
    this.#held.clear();
  }

  #find(key: Key, now: number): Held | undefined {
    const held = this.#held.get(this.#nameOf(key));
    return held !== undefined && now < held.expiresAt ? held : undefined;
  }

  #put(key: Key, value: StoredRecord, { keepMs }: Retention, now: number): void {
    if (this.#held.size >= mostRecords && !this.#held.has(key.text)) this.#sweep(now);
    this.#held.set(this.#nameOf(key), { value, expiresAt: now + keepMs });
  }

  #nameOf(key: Key): string {
    if (this.#held.has(key.text) || this.#held.size < mostRecords) return key.text;
    return `overflow:${key.text.replace(/\{.*$/, '')}`;
  }

  #sweep(now: number): void {
    if (now < this.#sweptAt + sweepEveryMs) return;
    this.#sweptAt = now;
    for (const [text, { expiresAt }] of this.#held) if (expiresAt <= now) this.#held.delete(text);
  }
}
