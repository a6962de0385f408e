import type { Scope } from '../core/decision.ts';
import { type Opened, open, type RecordKind, write } from '../core/draft.ts';
import { Fault } from '../core/fault.ts';
import { durationOf } from '../core/ladder.ts';
import type { Policy } from '../core/policy.ts';
import {
  accountKind,
  agentKind,
  deviceKind,
  networkDeviceKind,
  networkKind,
  p40Kind,
  p48Kind,
} from '../core/record-kinds.ts';
import type { Draft, Key, Records, StoredRecord } from '../core/records.ts';
import {
  blockHard,
  copyStanding,
  endBlocks,
  type Holder,
  isHardBlocked,
  isSoftBlocked,
  isStanding,
  ownStanding,
  type Standing,
} from '../core/standing.ts';
import type { AccountDevice, AccountRecord } from '../core/state.ts';
import { isToken } from '../core/window.ts';
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

const devicesOf = <R extends StoredRecord>(record: R): readonly AccountDevice[] =>
  (record as Partial<AccountRecord>).devices ?? [];

const listedIn = ({ devices }: Partial<AccountRecord>): readonly (Partial<AccountDevice> | null)[] =>
  Array.isArray(devices) ? devices : [];

/** The blocks of a record that run at `t`, those of its K5 entries too; of what is no standing, none. */
export function* blocksOf(address: BlockAddress, record: BlockableRecord, t: number): Generator<ActiveBlock> {
  const now = Math.max(t, record.at);
  yield* standingBlocks(address, record.standing, now);
  if (address.scope !== 'K4') return;
  for (const device of listedIn(record)) {
    const hashes = [...address.hashes, { hash: String(device?.id), was: null }];
    yield* standingBlocks({ ...address, scope: 'K5', hashes }, device?.standing, now);
  }
}

function* standingBlocks(address: BlockAddress, standing: unknown, now: number): Generator<ActiveBlock> {
  if (!isStanding(standing)) return;
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
  readonly holder: Draft<Holder> | undefined;
  readonly isStored: boolean;
  readonly now: number;
  store(): void;
}

function openAt(
  records: Records,
  key: Key<BlockableRecord>,
  { scope, hashes }: BlockAddress,
  { retention: { recordMs } }: Policy,
  t: number,
): OpenedBlock {
  const opened: Opened<BlockableRecord> = open(records, key, kinds[scope], t, recordMs);
  const devices = devicesOf(opened.holder);
  const [, device] = hashes;
  return {
    holder: scope === 'K5' ? devices.find(({ id }) => device && isToken(id, device)) : opened.holder,
    isStored: !opened.made,
    now: opened.now,
    store: () => write(records, opened, t, recordMs, devices),
  };
}

const kinds: Readonly<Record<Scope, RecordKind<BlockableRecord>>> = {
  K4: accountKind,
  K5: accountKind,
  K3: networkDeviceKind,
  D: deviceKind,
  K2: agentKind,
  K1: networkKind,
  P48: p48Kind,
  P40: p40Kind,
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
  endBlocks(ownStanding(holder), now);
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
  if (holder.standing.hardUntil >= now + durationOf(level, policy.ladder))
    return copyStanding(holder.standing);
  blockHard(ownStanding(holder), level, now, policy.ladder);
  store();
  return copyStanding(holder.standing);
}
