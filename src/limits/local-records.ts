import type { Key, Records, StoredRecord } from '../core/records.ts';
import { LocalTable, type SaysNothing } from './local-table.ts';

/** Records of one kind kept in this process while the store fails (engine contract §12). */
const mostRecords = 4_096;

/** Where a step finds a record. */
interface Place {
  readonly table: LocalTable;
  readonly name: string;
}

/**
 * Records of this process alone, for the time in which the store cannot be asked. Bounded: when a kind of them is full,
 * those go that have expired or say nothing any more, and where that does not help all further keys of the kind share one
 * record. A step is told which it is, for what is done to a shared record is done to strangers.
 */
export class LocalRecords {
  readonly #saysNothing: SaysNothing;
  readonly #kinds = new Map<string, LocalTable>();
  #shared: LocalTable;

  /** @param saysNothing default: a record says something until it expires */
  constructor(saysNothing: SaysNothing = () => false) {
    this.#saysNothing = saysNothing;
    this.#shared = this.#emptyTable();
  }

  /**
   * Runs a step at once, over what this process remembers.
   *
   * @param share keys without a place share a record only under the same one; default one for all of a kind
   */
  run<T>(step: (records: Records, now: number) => T, now: number, share = ''): T {
    // Found once for a step: room that is made in the middle of it must not part what is read from what is written.
    const places = new Map<string, Place>();
    const placeOf = ({ text }: Key): Place => {
      const place = places.get(text) ?? this.#placeOf(text, share, now);
      places.set(text, place);
      return place;
    };
    const records: Records = {
      get: <R extends StoredRecord>(key: Key<R>) => {
        const { table, name } = placeOf(key);
        return table.get(name, now) as R | undefined;
      },
      put: (key, value, { keepMs }) => {
        const { table, name } = placeOf(key);
        table.put(name, value, now + keepMs);
      },
      isShared: (key) => placeOf(key).table === this.#shared,
    };
    return step(records, now);
  }

  clear(): void {
    this.#kinds.clear();
    this.#shared = this.#emptyTable();
  }

  #placeOf(text: string, share: string, now: number): Place {
    const kind = text.slice(0, text.indexOf('{'));
    const own = this.#kinds.get(kind) ?? this.#emptyTable();
    this.#kinds.set(kind, own);
    if (own.admits(text, now)) return { table: own, name: text };
    const name = `${kind}${share}`;
    return { table: this.#shared, name: this.#shared.admits(name, now) ? name : kind };
  }

  #emptyTable(): LocalTable {
    return new LocalTable(mostRecords, this.#saysNothing);
  }
}
