import { emptyAccount } from '../core/account-draft.ts';
import type { Scope } from '../core/decision.ts';
import { emptyDevice } from '../core/dilution.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import { durationOf } from '../core/ladder.ts';
import { emptyAgent, emptyNetwork, emptyNetworkDevice } from '../core/network-draft.ts';
import type { Policy } from '../core/policy.ts';
import { emptyPrefix } from '../core/prefix-spray.ts';
import type { Key, Records, StoredRecord } from '../core/records.ts';
import type { Request } from '../core/request.ts';
import { readLive, write } from '../core/retention.ts';
import { blockHard, isHardBlocked, isSoftBlocked, lift, type Standing } from '../core/standing.ts';
import type { AccountDevice, AccountRecord } from '../core/state.ts';
import type { Store } from '../stores/store.ts';
import type { AuditTrail } from './audit-trail.ts';
import { addressOf, type BlockAddress, formatAddress, keyOf, parseAddress } from './block-address.ts';
import type { Engine } from './engine.ts';
import type { AuditEvent } from './events.ts';
import type { GuardRequest } from './signals.ts';

/** A block that runs. */
export interface ActiveBlock {
  /** What {@link OperatorCalls.lift} takes; holds hashes only. */
  readonly id: string;
  readonly policy: string;
  readonly scope: Scope;
  readonly outcome: 'SOFT_BLOCK' | 'HARD_BLOCK';
  readonly level: number;
  readonly until: number;
}

/** Who acts, and why; both go into the audit trail. */
export interface OperatorNote {
  readonly by: string;
  readonly why: string;
}

/** A block an operator places on one key of a request. */
export interface Placement extends OperatorNote {
  readonly scope: Scope;
  /** 1 to 6; the ladder gives the duration. */
  readonly level: number;
}

type BlockableRecord = StoredRecord & Standing;

/** What an operator may do: see the blocks, lift one, place one. Every act leaves an audit record first. */
export class OperatorCalls {
  readonly #store: Store;
  readonly #engine: Engine;
  readonly #audit: AuditTrail;

  constructor(store: Store, engine: Engine, audit: AuditTrail) {
    this.#store = store;
    this.#engine = engine;
    this.#audit = audit;
  }

  /** All blocks that run now, of all policies. Budget softs are not among them: they never stop an owner. */
  async *blocks(): AsyncGenerator<ActiveBlock> {
    const now = await this.#audit.now();
    for (const policy of this.#engine.policies) {
      const keyspace = this.#keyspaceOf(policy.name);
      for await (const { key, value } of this.#store.held(keyspace.prefix)) {
        const address = addressOf(key, policy.name, keyspace);
        if (address) yield* blocksOf(address, value as BlockableRecord, now);
      }
    }
  }

  /** Ends the HARD and SOFT of a key; scores and memory stay. False when there is nothing to lift. */
  async lift(id: string, note: OperatorNote): Promise<boolean> {
    const address = parseAddress(id);
    const policy = this.#policyOf(address.policy);
    await this.#audit.append({ what: 'lifted', block: id, until: null, ...checkedNote(note) });
    const key = keyOf(address, this.#keyspaceOf(policy.name));
    return this.#store.transact([key], (records, now) => liftStep(records, key, address, policy, now));
  }

  /** Places a HARD block on one key of the request and gives it. A longer one that runs stays. */
  async place(input: GuardRequest, { scope, level, ...note }: Placement): Promise<ActiveBlock> {
    const request = this.#engine.open(input);
    const { policy } = request;
    if (!Number.isInteger(level) || level < 1 || level > policy.ladder.maxLevel) {
      throw new Fault(
        'INPUT_INVALID',
        `level must be an integer from 1 to ${policy.ladder.maxLevel}, got ${shapeOf(level)}`,
      );
    }
    const address = addressIn(request, scope);
    const id = formatAddress(address);
    const until = (await this.#audit.now()) + durationOf(level, policy.ladder);
    await this.#audit.append({ what: 'placed', block: id, until, ...checkedNote(note) });
    const key = keyOf(address, request.keyspace);
    const placed = await this.#store.transact([key], (records, now) =>
      placeStep(records, key, address, policy, level, now),
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

function checkedNote({ by, why }: OperatorNote): OperatorNote {
  for (const [field, value] of Object.entries({ by, why })) {
    if (typeof value !== 'string' || value.length === 0 || value.length > 500) {
      throw new Fault(
        'INPUT_INVALID',
        `${field} must be a string of 1 to 500 characters, got ${shapeOf(value)}`,
      );
    }
  }
  return { by, why };
}

const devicesOf = (record: StoredRecord): readonly AccountDevice[] =>
  (record as Partial<AccountRecord>).devices ?? [];

function* blocksOf(address: BlockAddress, record: BlockableRecord, t: number): Generator<ActiveBlock> {
  const now = Math.max(t, record.at);
  yield* standingBlocks(address, record, now);
  if (address.scope !== 'K4') return;
  for (const device of devicesOf(record)) {
    yield* standingBlocks({ ...address, scope: 'K5', hashes: [...address.hashes, device.id] }, device, now);
  }
}

function* standingBlocks(address: BlockAddress, standing: Standing, now: number): Generator<ActiveBlock> {
  const block = { id: formatAddress(address), policy: address.policy, scope: address.scope };
  if (isHardBlocked(standing, now)) {
    yield { ...block, outcome: 'HARD_BLOCK', level: standing.hardLevel, until: standing.hardUntil };
  }
  if (isSoftBlocked(standing, now)) {
    yield { ...block, outcome: 'SOFT_BLOCK', level: standing.softLevel, until: standing.softUntil };
  }
}

/** Copies a record with its K5 entries, gives the standing the address means, and a way to store it. */
function openAt(
  records: Records,
  key: Key<StoredRecord>,
  { scope, hashes }: BlockAddress,
  policy: Policy,
  t: number,
) {
  const { recordMs } = policy.retention;
  const stored = readLive(records, key, t, recordMs) as BlockableRecord | undefined;
  const source: BlockableRecord = stored ?? emptyRecords[scope];
  const devices = devicesOf(source).map((device) => ({ ...device }));
  const record = { ...source, at: Math.max(t, source.at), ...(devices.length > 0 ? { devices } : {}) };
  const standing = scope === 'K5' ? devices.find(({ id }) => id === hashes[1]) : record;
  const store = () => write(records, key as Key<typeof record>, record, t, recordMs, devices);
  return { standing, now: record.at, store, isStored: stored !== undefined, record };
}

const emptyRecords: Readonly<Record<Scope, BlockableRecord>> = {
  K4: emptyAccount,
  K5: emptyAccount,
  K3: emptyNetworkDevice,
  D: emptyDevice,
  K2: emptyAgent,
  K1: emptyNetwork,
  P48: emptyPrefix,
  P40: emptyPrefix,
};

function liftStep(
  records: Records,
  key: Key<StoredRecord>,
  address: BlockAddress,
  policy: Policy,
  t: number,
): boolean {
  const { standing, now, store, isStored } = openAt(records, key, address, policy, t);
  if (!isStored || standing === undefined) return false;
  if (!isHardBlocked(standing, now) && !isSoftBlocked(standing, now)) return false;
  lift(standing, now);
  store();
  return true;
}

function placeStep(
  records: Records,
  key: Key<StoredRecord>,
  address: BlockAddress,
  policy: Policy,
  level: number,
  t: number,
): Standing {
  const { standing, now, store } = openAt(records, key, address, policy, t);
  if (standing === undefined) {
    throw new Fault(
      'INPUT_INVALID',
      'scope K5 cannot be blocked: the account remembers no failure of this device',
    );
  }
  if (standing.hardUntil >= now + durationOf(level, policy.ladder)) return standing;
  blockHard(standing, level, now, policy.ladder);
  store();
  return standing;
}

/** The address of one of the request's own keys. */
function addressIn({ subject, policy }: Request, scope: Scope): BlockAddress {
  const { account, network, agent, device, macros } = subject;
  const tokens = {
    K4: [account],
    K5: [account, device?.token],
    K3: [network, device?.token],
    D: [device?.token],
    K2: [network, agent],
    K1: [network],
    P48: [macros?.p48],
    P40: [macros?.p40],
  }[scope];
  const hashes = tokens?.map((token) => token?.hash);
  if (hashes === undefined || !hashes.every((hash) => hash !== undefined)) {
    throw new Fault('INPUT_INVALID', `scope must be a key this request has, got ${shapeOf(scope)}`);
  }
  return { policy: policy.name, scope, hashes };
}
