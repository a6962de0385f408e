import type { StoredRecord } from '../core/records.ts';

interface Held {
  readonly value: StoredRecord;
  readonly expiresAt: number;
}

/** Whether a record says the same as none. */
export type SaysNothing = (record: StoredRecord, now: number) => boolean;

/** Records that a newcomer looks at to find one whose place it can have. */
const mostLooks = 32;

/** A bounded number of records, the one used longest ago first. */
export class LocalTable {
  readonly #places: number;
  readonly #saysNothing: SaysNothing;
  readonly #held = new Map<string, Held>();

  constructor(places: number, saysNothing: SaysNothing) {
    this.#places = places;
    this.#saysNothing = saysNothing;
  }

  get(name: string, now: number): StoredRecord | undefined {
    const held = this.#held.get(name);
    return held !== undefined && now < held.expiresAt ? held.value : undefined;
  }

  put(name: string, value: StoredRecord, expiresAt: number): void {
    this.#held.delete(name);
    this.#held.set(name, { value, expiresAt });
  }

  /** Whether the name has a place, or can have one. */
  admits(name: string, now: number): boolean {
    return this.#held.has(name) || this.#held.size < this.#places || this.#makeRoom(now);
  }

  /**
   * Only what has expired or says nothing goes: nobody is to get a new bucket by crowding out the old one. What has to
   * stay goes to the end, so that the next newcomer looks at others, and none looks at all of them.
   */
  #makeRoom(now: number): boolean {
    let looks = 0;
    for (const [name, held] of this.#held) {
      this.#held.delete(name);
      if (held.expiresAt <= now || this.#saysNothing(held.value, now)) return true;
      this.#held.set(name, held);
      looks += 1;
      if (looks === mostLooks) return false;
    }
    return false;
  }
}
