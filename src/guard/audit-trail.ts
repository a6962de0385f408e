import { CONTRACT_VERSION } from '../core/keys.ts';
import type { Key, StoredRecord } from '../core/records.ts';
import type { Store } from '../stores/store.ts';
import type { AuditEvent } from './events.ts';

interface AuditRecord extends StoredRecord {
  readonly acts: readonly AuditEvent[];
}

const KEPT_ACTS = 256;
const KEEP_MS = 400 * 24 * 60 * 60_000;

/** What operators did, newest last, in the store itself; bounded to the last acts. The store is to be a clearing one. */
export class AuditTrail {
  readonly #store: Store;
  readonly #key: Key<AuditRecord>;
  readonly #listen: (act: AuditEvent) => void;

  constructor(store: Store, environment: string, listen: (act: AuditEvent) => void) {
    this.#store = store;
    this.#key = { text: `portcullis:${environment}:audit:${CONTRACT_VERSION}:trail:{audit}`, was: null };
    this.#listen = listen;
  }

  /** The store's time. */
  now(): Promise<number> {
    return this.#store.view([], (_, now) => now);
  }

  async append(act: Omit<AuditEvent, 'at'>): Promise<void> {
    const noted = await this.#store.transact([this.#key], (records, now) => {
      const event: AuditEvent = { at: now, ...act };
      const acts = [...(records.get(this.#key)?.acts ?? []), event].slice(-KEPT_ACTS);
      records.put(this.#key, { at: now, acts }, { keepMs: KEEP_MS, softMs: 0, hardMs: 0 });
      return event;
    });
    this.#listen(noted);
  }

  read(): Promise<readonly AuditEvent[]> {
    return this.#store.view([this.#key], (records) => records.get(this.#key)?.acts ?? []);
  }
}
