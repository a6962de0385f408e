import { randomUUID } from 'node:crypto';
import { DAY_MS } from '../core/duration.ts';
import { Fault } from '../core/fault.ts';
import { CONTRACT_VERSION } from '../core/keys.ts';
import type { Key, StoredRecord } from '../core/records.ts';
import type { Store } from '../stores/store.ts';
import type { AuditEvent } from './events.ts';

/** What an operator is about to do. */
export interface AnnouncedAct extends Pick<AuditEvent, 'what' | 'block' | 'by' | 'why'> {
  /** When it will end, where that is known before it is done. */
  readonly until?: number | undefined;
}

interface OpenAct {
  /** Tells it from the others. */
  readonly turn: string;
  readonly act: AuditEvent;
}

interface AuditRecord extends StoredRecord {
  readonly acts: readonly AuditEvent[];
  /** Announced, and not known to be over. */
  readonly open?: readonly OpenAct[];
}

type Trail = Required<Omit<AuditRecord, 'at'>>;

const KEPT_ACTS = 256;
const MOST_OPEN = 32;
const KEEP_MS = 400 * DAY_MS;

/** What operators did, newest last, in the store itself; bounded to the last acts. The store is to be a clearing one. */
export class AuditTrail {
  readonly #store: Store;
  readonly #key: Key<AuditRecord>;
  readonly #listen: (act: AuditEvent) => void;

  constructor(store: Store, environment: string, listen: (act: AuditEvent) => void) {
    this.#store = store;
    const text = `portcullis:${environment}:audit:${CONTRACT_VERSION}:trail:{audit}`;
    this.#key = { text, was: null, form: 'audit' };
    this.#listen = listen;
  }

  /** The store's time. */
  now(): Promise<number> {
    return this.#store.view([], (_, now) => now);
  }

  /**
   * Has an act done and keeps what came of it. Who acts is written down first, for an act without a trace is worse than
   * a trace without an act. In the end the act takes the place of its announcement; one that was refused, or for which
   * there was nothing to do, leaves nothing. Where the store fails in between, the announcement stays, as unsure.
   *
   * @param endOf when what was done ends, null for never; undefined when nothing was done
   * @throws whatever `perform` throws, and Fault `STORE_*`
   */
  async accompany<T>(
    announced: AnnouncedAct,
    perform: () => Promise<T>,
    endOf: (done: T) => number | null | undefined,
  ): Promise<T> {
    const turn = randomUUID();
    const open = await this.#write(
      (at): AuditEvent => ({ at, ...announced, until: announced.until ?? null, unsure: true }),
      (trail, act) => ({ ...trail, open: [...trail.open, { turn, act }].slice(-MOST_OPEN) }),
    );
    let told: AuditEvent | null = null;
    try {
      const done = await perform();
      const until = endOf(done);
      told = await this.#conclude(turn, (at) => (until === undefined ? null : { at, ...announced, until }));
      return done;
    } catch (cause) {
      // Where even that fails, the refusal is what the caller has to know, and the rest is told.
      told = isRefusal(cause) ? await this.#conclude(turn, () => null).catch(() => open) : open;
      throw cause;
    } finally {
      if (told !== null) this.#listen(told);
    }
  }

  /** What operators did, newest last, and what nobody knows of whether it was done. */
  read(): Promise<readonly AuditEvent[]> {
    return this.#store.view([this.#key], (records) => {
      const { acts, open } = trailOf(records.get(this.#key));
      return [...acts, ...open.map(({ act }) => act)].sort((a, b) => a.at - b.at);
    });
  }

  #conclude(turn: string, actAt: (at: number) => AuditEvent | null): Promise<AuditEvent | null> {
    return this.#write(actAt, ({ acts, open }, act) => ({
      acts: act === null ? acts : [...acts, act].slice(-KEPT_ACTS),
      open: open.filter((candidate) => candidate.turn !== turn),
    }));
  }

  #write<A>(actAt: (at: number) => A, change: (trail: Trail, act: A) => Trail): Promise<A> {
    return this.#store.transact([this.#key], (records, now) => {
      const act = actAt(now);
      const trail = change(trailOf(records.get(this.#key)), act);
      records.put(this.#key, { at: now, ...trail }, { keepMs: KEEP_MS, softMs: 0, hardMs: 0 });
      return act;
    });
  }
}

const trailOf = ({ acts = [], open = [] }: Partial<AuditRecord> = {}): Trail => ({ acts, open });

/** Misuse is refused before anything is written. */
const isRefusal = (cause: unknown): boolean => cause instanceof Fault && cause.code === 'INPUT_INVALID';
