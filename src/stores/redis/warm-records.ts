import type { Key } from '../../core/records.ts';
import { NO_VERSION, Snapshot } from './envelope.ts';
import { Reading } from './reading.ts';

/** How long what was read may be the starting point of a commit. Older is likelier to be stale than not worth a read. */
export const WARM_MS = 300;
/** Enough for all that is under way at once; more would only keep the garbage collector busy. */
const maxRecords = 8_192;

/** What was seen of the record of a key, which remembers it (`Key.mark`). */
interface Slot {
  /** The latest that it is part of. When that was dropped, what the key remembers is of no use. */
  generation: Generation;
  snapshot: Snapshot;
  /** What was under the key's previous text; undefined where it has none. */
  before: Snapshot | undefined;
}

class Generation {
  readonly slots: Slot[] = [];
  /** Those whose record is there, for other keys of the same text. */
  readonly byText = new Map<string, Slot>();
}

/**
 * What was seen of records a moment ago: where a step may start without reading them. It may be stale, as it may have
 * become by what other processes write; then the commit that started from it does not get through.
 *
 * A key remembers what was seen of its record. To find it by its text would cost more than the steps do, mostly for
 * records of new accounts and addresses, which are not there; so only those that are there are found by it as well.
 *
 * Two generations: when the younger one is full or old the elder is dropped whole, so that neither a flood of keys nor time
 * makes it grow, and nothing is ever searched for something to drop.
 */
export class WarmRecords {
  readonly #monotonicMs: () => number;
  #younger = new Generation();
  #elder = new Generation();
  #turnedAtMs: number;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
    this.#turnedAtMs = monotonicMs();
  }

  /** How many records are remembered, some perhaps twice. */
  get size(): number {
    return this.#younger.slots.length + this.#elder.slots.length;
  }

  /** All that is needed to run a step over these keys, or undefined if something was not seen lately. */
  reading(keys: readonly Key[], nowMs: number): Reading | undefined {
    const oldestMs = nowMs - WARM_MS;
    return Reading.of(keys, (text, key) => {
      const slot = this.#slotOf(key);
      const snapshot = text === key.text ? slot?.snapshot : slot?.before;
      return snapshot !== undefined && snapshot.seenAtMs >= oldestMs ? snapshot : undefined;
    });
  }

  /** Keeps what was seen, unless something later is known: readings and commits may overtake each other. */
  learn(reading: Reading): void {
    if (this.#turnedAtMs < this.#monotonicMs() - WARM_MS) this.#turn();
    reading.forEachKey(this.#keep);
  }

  forget(keys: readonly Key[]): void {
    for (const key of keys) {
      const { text } = key;
      for (const slot of [this.#markOf(key), this.#younger.byText.get(text), this.#elder.byText.get(text)])
        if (slot !== undefined) empty(slot);
    }
  }

  #slotOf(key: Key): Slot | undefined {
    const marked = this.#markOf(key);
    if (marked !== undefined) return marked;
    // What was under a previous text is of one key alone.
    if (key.was !== null) return undefined;
    const found = this.#younger.byText.get(key.text) ?? this.#elder.byText.get(key.text);
    if (found !== undefined) key.mark = found;
    return found;
  }

  #markOf(key: Key): Slot | undefined {
    const mark = key.mark as Partial<Slot> | undefined;
    const generation = mark?.generation;
    return generation === this.#younger || generation === this.#elder ? (mark as Slot) : undefined;
  }

  readonly #keep = (key: Key, snapshot: Snapshot, before: Snapshot | undefined): void => {
    if (this.#younger.slots.length >= maxRecords / 2) this.#turn();
    const known = this.#markOf(key);
    const slot = known ?? { generation: this.#younger, snapshot: nothing, before };
    const isYoung = known?.generation === this.#younger;
    const isFound = isYoung && slot.snapshot.version !== NO_VERSION;
    slot.generation = this.#younger;
    slot.snapshot = laterOf(slot.snapshot, snapshot);
    slot.before = slot.before && before ? laterOf(slot.before, before) : before;
    if (!isYoung) this.#younger.slots.push(slot);
    if (!isFound && slot.snapshot.version !== NO_VERSION) this.#younger.byText.set(key.text, slot);
    key.mark = slot;
  };

  #turn(): void {
    const dropped = this.#elder;
    this.#elder = this.#younger;
    this.#younger = new Generation();
    this.#turnedAtMs = this.#monotonicMs();
    for (const slot of dropped.slots) if (slot.generation === dropped) empty(slot);
  }
}

const laterOf = (known: Snapshot, seen: Snapshot): Snapshot =>
  known.latestAtMs > seen.latestAtMs ? known : seen;

const nothing = Snapshot.absent(Number.NEGATIVE_INFINITY);

/** The key may remember the slot for long; what it held must not stay with it. */
function empty(slot: Slot): void {
  slot.snapshot = nothing;
  slot.before = undefined;
}
