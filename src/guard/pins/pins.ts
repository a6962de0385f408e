import { SECOND_MS } from '../../core/duration.ts';
import { Fault } from '../../core/fault.ts';
import type { Key } from '../../core/records.ts';
import type { Identifier } from '../../identity/identifier.ts';
import { checkedNote, type OperatorNote } from '../../operators/operator-note.ts';
import { checkedPinOrder, type PinOrder } from '../../operators/pin-order.ts';
import { clearingStore } from '../../stores/clearing-store.ts';
import type { Store } from '../../stores/store.ts';
import { AuditTrail } from '../audit-trail.ts';
import type { AuditEvent } from '../events.ts';
import { type Clock, systemClock } from '../failure/clock.ts';
import {
  assertText,
  type Pin,
  type PinNames,
  type PinRequest,
  pinDefaults,
  pinIds,
  targetOf,
} from './pin.ts';
import { PinSet } from './pin-set.ts';
import { livePins, type PinRecord, pinKey, putPin, removePin } from './pin-steps.ts';

export interface PinsOptions {
  readonly store: Store;
  readonly environment: string;
  /** Hashes whom limits are pinned for. */
  readonly identifier: Identifier;
  /** What can be pinned; asked at each pin, so that it may change with the configuration. */
  readonly names: () => PinNames;
  /** Default 64. */
  readonly most?: number;
  /** The longest time a pin may last. Default 30 days. */
  readonly longestMs?: number;
  /** How often pins of other nodes are looked for. Default 2 s. */
  readonly refreshMs?: number;
  /** Default: that of the process. */
  readonly clock?: Clock;
  /** Told of every pin set and removed on this node. */
  readonly onAudit?: (act: AuditEvent) => void;
  /** Told when the pins of this node have changed: by itself, by another node, or by time. */
  readonly onChange?: (pins: readonly Pin[]) => void;
  /** Told when pins could not be read; those known stay until they end. */
  readonly onFault?: (fault: Fault) => void;
}

/**
 * What operators hold in place for a time: a limit, what a policy does without the store, a scenario that is off, a rule
 * in shadow. Pins live in the store, so that all nodes see them; each ends by itself; each leaves an audit record.
 */
export class Pins {
  readonly #store: Store;
  readonly #key: Key<PinRecord>;
  readonly #audit: AuditTrail;
  readonly #options: PinsOptions;
  readonly #clock: Clock;
  readonly #most: number;
  readonly #longestMs: number;
  readonly #refreshMs: number;
  /** The store's clock minus ours, as of the last look. */
  #offsetMs = 0;
  #current: PinSet;
  #shown = '';
  #cancel: (() => void) | null = null;
  #isClosed = false;
  /** Looks that were begun, and the latest of them whose answer counts. */
  #looks = 0;
  #latest = 0;

  constructor(options: PinsOptions) {
    const { environment, clock = systemClock } = options;
    const store = clearingStore(options.store);
    this.#store = store;
    this.#key = pinKey(environment);
    this.#audit = new AuditTrail(store, environment, (act) => options.onAudit?.(act));
    this.#options = options;
    this.#clock = clock;
    this.#most = options.most ?? pinDefaults.most;
    this.#longestMs = options.longestMs ?? pinDefaults.longestMs;
    this.#refreshMs = options.refreshMs ?? pinDefaults.refreshMs;
    this.#current = this.#setOf([]);
  }

  /** The pins this node goes by. Empty until they were read once. */
  get current(): PinSet {
    return this.#current;
  }

  /** Reads the pins now and then again and again. Resolves after the first look, whether or not it succeeded. */
  async start(): Promise<void> {
    await this.#refresh();
    this.#plan();
  }

  /** All pins that run, as the store has them. */
  async list(): Promise<readonly Pin[]> {
    return (await this.#look()).pins;
  }

  /**
   * Pins something, in place of a pin of the same.
   *
   * @throws Fault `INPUT_INVALID` when the request names something that there is not or is out of range, or when
   * there are as many pins as there may be; `STORE_*` when the store fails.
   */
  async put(request: PinRequest, order: PinOrder): Promise<Pin> {
    const { names, identifier } = this.#options;
    const target = targetOf(request, names(), identifier);
    const { by, why, forMs } = checkedPinOrder(order, this.#longestMs, SECOND_MS);
    const ids = pinIds(request, target, identifier);
    const [id] = ids;
    const { pins, now: from } = await this.#look();
    const others = pins.filter((pin) => !ids.includes(pin.id));
    if (others.length >= this.#most) throw this.#full();
    const pin: Pin = { ...target, id, by, why, from, until: from + forMs };
    const isPut = await this.#audit.accompany(
      { what: 'pinned', block: id, by, why, until: pin.until },
      () =>
        this.#store.transact([this.#key], (records, now) =>
          putPin(records, this.#key, { pin, ids, most: this.#most }, now),
        ),
      (done) => (done ? pin.until : undefined),
    );
    // Others may have been set since.
    if (!isPut) throw this.#full();
    await this.#refresh();
    return pin;
  }

  /** Ends a pin. False when there was none. @throws Fault `STORE_*` when the store fails. */
  async remove(id: string, note: OperatorNote): Promise<boolean> {
    const { by, why } = checkedNote(note);
    assertText('id', id, 300);
    const isThere = (await this.list()).some((pin) => pin.id === id);
    if (!isThere) return false;
    const removed = await this.#audit.accompany(
      { what: 'unpinned', block: id, by, why },
      () => this.#store.transact([this.#key], (records, now) => removePin(records, this.#key, id, now)),
      (done) => (done ? null : undefined),
    );
    await this.#refresh();
    return removed;
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
    this.#cancel = null;
  }

  #plan(): void {
    if (this.#isClosed) return;
    this.#cancel = this.#clock.after(this.#refreshMs, () => {
      void this.#refresh().then(() => this.#plan());
    });
  }

  async #refresh(): Promise<void> {
    this.#looks += 1;
    const number = this.#looks;
    try {
      // As it is: pins that cannot be read go on until an operator acts, for a pin may hold a door shut.
      const { pins, now } = await this.#look(this.#options.store);
      // One that was begun later has seen what this one may have missed.
      if (number < this.#latest) return;
      this.#latest = number;
      this.#offsetMs = now - this.#clock.now();
      this.#current = this.#setOf(pins);
    } catch (cause) {
      this.#options.onFault?.(faultOf(cause));
    }
    this.#tellChange();
  }

  /** The pins that run, and the store's time. */
  #look(store = this.#store): Promise<{ readonly pins: readonly Pin[]; readonly now: number }> {
    return store.view([this.#key], (records, now) => ({
      pins: livePins(records, this.#key, now),
      now,
    }));
  }

  #full(): Fault {
    return new Fault('INPUT_INVALID', `there are ${this.#most} pins already: remove one first`);
  }

  #setOf(pins: readonly Pin[]): PinSet {
    return new PinSet(pins, this.#options.identifier, () => this.#clock.now() + this.#offsetMs);
  }

  #tellChange(): void {
    const pins = this.#current.all();
    const shown = pins.map(({ id, until }) => `${id}@${until}`).join(' ');
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#options.onChange?.(pins);
  }
}

/** A bug is told too, and not thrown: a look is started by a timer, and what that throws would end the process. */
const faultOf = (cause: unknown): Fault =>
  cause instanceof Fault ? cause : new Fault('INVARIANT_BROKEN', 'Pins could not be looked at.', { cause });
