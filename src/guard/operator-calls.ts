import { assertWhole } from '../core/amounts.ts';
import { leaveBook } from '../core/book.ts';
import type { Scope } from '../core/decision.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import type { Policy } from '../core/policy.ts';
import type { Key } from '../core/records.ts';
import { readLive } from '../core/retention.ts';
import type { BookRecord } from '../core/state.ts';
import type { Token } from '../core/subject.ts';
import { checkedNote, type OperatorNote } from '../operators/operator-note.ts';
import type { HeldRecord, Store, WalkOptions } from '../stores/store.ts';
import type { AuditTrail } from './audit-trail.ts';
import {
  addressOf,
  type BlockAddress,
  type BlockableRecord,
  formatAddress,
  keyOf,
  parseAddress,
} from './block-address.ts';
import { type ActiveBlock, blocksOf, liftStep, placeStep } from './block-steps.ts';
import type { Engine, Located, LocatedDevice } from './engine.ts';
import type { AuditEvent } from './events.ts';
import type { GuardRequest } from './signals.ts';
import { takeTurns } from './take-turns.ts';

/** A block an operator places on one key of a request. */
export interface Placement extends OperatorNote {
  readonly scope: Scope;
  /** 1 to 6; the ladder gives the duration. */
  readonly level: number;
}

/** What an operator may do: see the blocks, lift one, place one, forget a device. Every act leaves an audit record. */
export class OperatorCalls {
  readonly #store: Store;
  readonly #engine: Engine;
  readonly #audit: AuditTrail;

  constructor(store: Store, engine: Engine, audit: AuditTrail) {
    this.#store = store;
    this.#engine = engine;
    this.#audit = audit;
  }

  /**
   * All blocks that run now, of all policies, which take turns or come mixed. Budget softs are not among them: they never
   * stop an owner. A block that a key rotation has carried over is listed under both of its hashes until it ends.
   */
  async *blocks({ signal }: WalkOptions = {}): AsyncGenerator<ActiveBlock> {
    const now = await this.#audit.now();
    const owners = this.#engine.policies.map(({ name }) => ({ name, keyspace: this.#keyspaceOf(name) }));
    const prefixes = owners.map(({ keyspace }) => keyspace.prefix);
    for await (const { key, value } of this.#held(prefixes, signal)) {
      const owner = owners.find(({ keyspace }) => key.startsWith(keyspace.prefix));
      const address = owner && addressOf({ text: key, was: null }, owner.name, owner.keyspace);
      if (address) yield* blocksOf(address, value as BlockableRecord, now);
    }
  }

  #held(prefixes: readonly string[], signal: AbortSignal | undefined): AsyncIterable<HeldRecord> {
    const store = this.#store;
    return (
      store.heldOfAny?.(prefixes, signal) ?? takeTurns(prefixes.map((prefix) => store.held(prefix, signal)))
    );
  }

  /** Ends the HARD and SOFT of a key; scores and memory stay. False when there is nothing to lift. */
  async lift(id: string, note: OperatorNote): Promise<boolean> {
    const address = parseAddress(id);
    const policy = this.#policyOf(address.policy);
    return this.#audit.accompany(
      { what: 'lifted', block: id, ...checkedNote(note) },
      () => this.#liftAll(address, policy),
      (isLifted) => (isLifted ? null : undefined),
    );
  }

  async #liftAll(address: BlockAddress, policy: Policy): Promise<boolean> {
    const key = keyOf(address, this.#keyspaceOf(policy.name));
    const isLifted = await this.#liftAt(key, address, policy);
    // The record of before the rotation decides no more, but nodes without the new secret and lists would still find it.
    if (key.was === null) return isLifted;
    const before = { text: key.was, was: null, form: key.form };
    return (await this.#liftAt(before, address, policy)) || isLifted;
  }

  #liftAt(key: Key<BlockableRecord>, address: BlockAddress, policy: Policy): Promise<boolean> {
    return this.#store.transact([key], (records, now) => liftStep(records, key, address, policy, now));
  }

  /** Places a HARD block on one key of the request and gives it. A longer one that runs stays. */
  async place(input: GuardRequest, placement: Placement): Promise<ActiveBlock> {
    if (typeof placement !== 'object' || placement === null) {
      throw new Fault(
        'INPUT_INVALID',
        `placement must be an object with scope, level, by and why, got ${shapeOf(placement)}`,
      );
    }
    const { scope, level, ...note } = placement;
    const located = this.#engine.locate(input);
    const { policy, keyspace } = located;
    assertWhole('INPUT_INVALID', 'level', level, 1, policy.ladder.maxLevel);
    const address = addressIn(located, scope);
    const id = formatAddress(address);
    const key = keyOf(address, keyspace);
    const placed = await this.#audit.accompany(
      { what: 'placed', block: id, ...checkedNote(note) },
      () =>
        this.#store.transact([key], (records, now) => placeStep(records, key, address, policy, level, now)),
      ({ hardUntil }) => hardUntil,
    );
    return {
      id,
      policy: policy.name,
      scope,
      outcome: 'HARD_BLOCK',
      level: placed.hardLevel,
      until: placed.hardUntil,
    };
  }

  /** Takes a device out of the book of an account. False when it is not there. */
  async forgetDevice(account: string, deviceId: string, note: OperatorNote): Promise<boolean> {
    const located = this.#engine.locateDevice(account, deviceId);
    const { book } = located;
    const hashes = [located.account, located.device];
    return this.#audit.accompany(
      {
        what: 'removed',
        block: formatAddress({ policy: 'book', scope: 'K5', hashes }),
        ...checkedNote(note),
      },
      async () => {
        const isForgotten = await this.#forgetIn(book, located);
        // Nodes without the new secret still go by the book of before the rotation.
        // A key of its own: the tag and the bookmark of the new one would lead to the new book once more.
        if (book.was === null) return isForgotten;
        const before = { text: book.was, was: null, form: book.form };
        return (await this.#forgetIn(before, located)) || isForgotten;
      },
      (isForgotten) => (isForgotten ? null : undefined),
    );
  }

  #forgetIn(book: Key<BookRecord>, { device, bookMs }: LocatedDevice): Promise<boolean> {
    return this.#store.transact([book], (records, now) => {
      const known = readLive(records, book, now, bookMs);
      const rest = known && leaveBook(known, device);
      if (rest === undefined) return false;
      records.put(book, rest, { keepMs: rest.at + bookMs - now, softMs: 0, hardMs: 0 });
      return true;
    });
  }

  /** The last acts of operators, newest last. */
  audit(): Promise<readonly AuditEvent[]> {
    return this.#audit.read();
  }

  #keyspaceOf(policy: string) {
    const keyspace = this.#engine.keyspaceOf(policy);
    if (keyspace === undefined)
      throw new Fault('INPUT_INVALID', `block id names a policy that there is not, got ${shapeOf(policy)}`);
    return keyspace;
  }

  #policyOf(name: string): Policy {
    const policy = this.#engine.policies.find((candidate) => candidate.name === name);
    if (policy === undefined)
      throw new Fault('INPUT_INVALID', `block id names a policy that there is not, got ${shapeOf(name)}`);
    return policy;
  }
}

const needs: Readonly<Record<Scope, string>> = {
  K4: 'an account',
  K5: 'an account and a device',
  K3: 'a device',
  D: 'a device',
  K2: 'an address',
  K1: 'an address',
  P48: 'an IPv6 address',
  P40: 'an IPv6 address',
};

/** The address of one of the request's own keys. */
function addressIn({ subject, policy }: Located, scope: Scope): BlockAddress {
  if (!Object.hasOwn(needs, scope)) {
    const scopes = Object.keys(needs).join(', ');
    throw new Fault('INPUT_INVALID', `scope must be one of ${scopes}, got ${shapeOf(scope)}`);
  }
  if (policy.kind === 'rate' && (scope === 'K4' || scope === 'K5')) {
    throw new Fault(
      'INPUT_INVALID',
      `scope ${scope} is no key of the policy "${policy.name}", which is not about accounts`,
    );
  }
  const { account, network, agent, device, macros } = subject;
  const tokens: readonly (Token | null | undefined)[] = {
    K4: [account],
    K5: [account, device?.token],
    K3: [network, device?.token],
    D: [device?.token],
    K2: [network, agent],
    K1: [network],
    P48: [macros?.p48],
    P40: [macros?.p40],
  }[scope];
  const hashes = tokens.filter((token) => token !== undefined && token !== null);
  if (hashes.length !== tokens.length) {
    throw new Fault('INPUT_INVALID', `scope ${scope} needs a request with ${needs[scope]}`);
  }
  return { policy: policy.name, scope, hashes };
}
