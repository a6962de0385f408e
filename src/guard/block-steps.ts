import { emptyAccount } from '../core/account-draft.ts';
import type { Scope } from '../core/decision.ts';
import { Fault } from '../core/fault.ts';
import { durationOf } from '../core/ladder.ts';
import type { Policy } from '../core/policy.ts';
import {
  agentKind,
  deviceKind,
  networkDeviceKind,
  networkKind,
  p40Kind,
  p48Kind,
} from '../core/record-kinds.ts';
import type { Key, Records, StoredRecord } from '../core/records.ts';
import { readLive, write } from '../core/retention.ts';
import {
  type Holder,
  hardBlocked,
  isHardBlocked,
  isSoftBlocked,
  lifted,
  type Standing,
} from '../core/standing.ts';
import type { AccountDevice, AccountRecord } from '../core/state.ts';
import { type BlockAddress, type BlockableRecord, formatAddress } from './block-address.ts';

/** A block that runs. */
export interface ActiveBlock {
  /** What a lift takes; holds hashes only. */
  readonly id: string;
  readonly policy: string;
  readonly scope: Scope;
  readonly outcome: 'SOFT_BLOCK' | 'HARD_BLOCK';
  readonly level: number;
  readonly until: number;
}

const devicesOf = (record: StoredRecord): readonly AccountDevice[] =>
  (record as Partial<AccountRecord>).devices ?? [];

/** The blocks of a record that run at `t`, those of its K5 entries too. */
export function* blocksOf(address: BlockAddress, record: BlockableRecord, t: number): Generator<ActiveBlock> {
  const now = Math.max(t, record.at);
  yield* standingBlocks(address, record.standing, now);
  if (address.scope !== 'K4') return;
  for (const { id, standing } of devicesOf(record)) {
    yield* standingBlocks({ ...address, scope: 'K5', hashes: [...address.hashes, id] }, standing, now);
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

/** A key that an operator acts on, opened. */
interface OpenedBlock {
  /** What the address means: the record or one of its K5 entries; undefined when there is no such entry. */
  readonly holder: Holder | undefined;
  readonly isStored: boolean;
  readonly now: number;
  store(): void;
}

function openAt(
  records: Records,
  key: Key<BlockableRecord>,
  { scope, hashes }: BlockAddress,
  { retention }: Policy,
  t: number,
): OpenedBlock {
  const stored = readLive(records, key, t, retention.recordMs);
  const source = stored ?? emptyRecords[scope];
  const devices = devicesOf(source).map((device) => ({ ...device }));
  const record = { ...source, at: Math.max(t, source.at), ...(devices.length > 0 ? { devices } : {}) };
  return {
    holder: scope === 'K5' ? devices.find(({ id }) => id === hashes[1]) : record,
    isStored: stored !== undefined,
    now: record.at,
    store: () => write(records, key, record, t, retention.recordMs, devices),
  };
}

const emptyRecords: Readonly<Record<Scope, BlockableRecord>> = {
  K4: emptyAccount,
  K5: emptyAccount,
  K3: networkDeviceKind.empty,
  D: deviceKind.empty,
  K2: agentKind.empty,
  K1: networkKind.empty,
  P48: p48Kind.empty,
  P40: p40Kind.empty,
};

/** Ends the blocks of a key; false when none runs. */
export function liftStep(
  records: Records,
  key: Key<BlockableRecord>,
  address: BlockAddress,
  policy: Policy,
  t: number,
): boolean {
  const { holder, now, store, isStored } = openAt(records, key, address, policy, t);
  if (!isStored || holder === undefined) return false;
  if (!isHardBlocked(holder.standing, now) && !isSoftBlocked(holder.standing, now)) return false;
  holder.standing = lifted(holder.standing, now);
  store();
  return true;
}

/** Blocks a key at a level, unless a block that lasts at least as long runs; gives how it stands then. */
export function placeStep(
  records: Records,
  key: Key<BlockableRecord>,
  address: BlockAddress,
  policy: Policy,
  level: number,
  t: number,
): Standing {
  const { holder, now, store } = openAt(records, key, address, policy, t);
  if (holder === undefined) {
    throw new Fault(
      'INPUT_INVALID',
      'scope K5 cannot be blocked: the account remembers no failure of this device',
    );
  }
  if (holder.standing.hardUntil >= now + durationOf(level, policy.ladder)) return holder.standing;
  holder.standing = hardBlocked(holder.standing, level, now, policy.ladder);
  store();
  return holder.standing;
}
