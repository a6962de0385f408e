import { assertWhole } from '../core/amounts.ts';
import type { ClientRecord } from '../core/client-state.ts';
import { isHardBlocked, isStanding } from '../core/standing.ts';
import type { HeldRecord, Store, WalkOptions } from '../stores/store.ts';
import { admit } from './agent-admission.ts';
import { assertClient } from './call.ts';
import type { Client, ClientFinder } from './client-finder.ts';
import { type ClientKey, type ClientKeyspace, keyBefore, keysOf } from './client-keys.ts';
import type { LimitBook } from './limit-book.ts';
import { liftBlock, placeBlock } from './operator-steps.ts';

/** A client's block that runs. */
export interface ClientBlock {
  /** What a lift takes: `limits.<limiter>:<scope>:<hash>[:<hash>]`. Holds hashes only. */
  readonly id: string;
  /** Whom it is on: `U` is a signed-in user, `K2` a network with a user agent. */
  readonly scope: 'U' | 'K2';
  readonly level: number;
  /** Its end, by the store's clock. */
  readonly until: number;
}

/**
 * The blocks of a limiter's clients, as operators and scenarios list, lift and place them. What they do must not be done in
 * this process alone: where the store fails, it fails.
 */
export class ClientBlocks {
  readonly #store: Store;
  readonly #keyspace: ClientKeyspace;
  readonly #keyOf: ClientFinder;
  readonly #limits: LimitBook;

  constructor(store: Store, keyspace: ClientKeyspace, keyOf: ClientFinder, limits: LimitBook) {
    this.#store = store;
    this.#keyspace = keyspace;
    this.#keyOf = keyOf;
    this.#limits = limits;
  }

  async *running({ signal }: WalkOptions = {}): AsyncGenerator<ClientBlock> {
    const now = await this.#store.view([], (_, storeTime) => storeTime);
    for await (const held of this.#store.held(this.#keyspace.prefix, signal)) {
      const block = clientBlockOf(held, this.#keyspace, now);
      if (block !== null) yield block;
    }
  }

  async idOf(client: Client): Promise<string> {
    assertClient('client', client);
    const key = this.#keyOf(client);
    const admitted = await this.#store.view(keysOf(key), (records, now) => admit(records, key, now).key);
    return this.#keyspace.idOf(admitted);
  }

  async lift(client: Client | string): Promise<boolean> {
    if (typeof client !== 'string') assertClient('client', client);
    const key = typeof client === 'string' ? this.#keyspace.addressed(client) : this.#keyOf(client);
    const { isLifted, key: admitted } = await this.#liftAt(key);
    // The record of before the rotation decides no more, but nodes without the new secret and lists would still find it.
    const before = keyBefore(admitted);
    return (before !== null && (await this.#liftAt(before)).isLifted) || isLifted;
  }

  async place(client: Client, fromLevel: number): Promise<number> {
    assertClient('client', client);
    assertWhole('INPUT_INVALID', 'fromLevel', fromLevel, 1, 4);
    const key = this.#keyOf(client);
    const { limit } = this.#limits.find({ method: 'GET', path: '/', ...client }).quota;
    return this.#store.transact(keysOf(key), (records, now) =>
      placeBlock(records, key, fromLevel, limit, now),
    );
  }

  #liftAt(key: ClientKey): Promise<ReturnType<typeof liftBlock>> {
    return this.#store.transact(keysOf(key), (records, now) => liftBlock(records, key, now));
  }
}

/** The block of a client that a held record carries; null when it has ended, or the record is no client's or cannot be one. */
function clientBlockOf(
  { key, value }: HeldRecord,
  keyspace: ClientKeyspace,
  now: number,
): ClientBlock | null {
  const address = keyspace.addressOf(key);
  if (address === null) return null;
  const { at, standing } = value as ClientRecord;
  if (!isStanding(standing) || !isHardBlocked(standing, Math.max(now, at))) return null;
  return { ...address, level: standing.hardLevel, until: standing.hardUntil };
}
