import { fullBucket } from './bucket.ts';
import type { RecordKind } from './draft.ts';
import { cleanStanding } from './standing.ts';
import type { AgentRecord, DeviceRecord, NetworkDeviceRecord, NetworkRecord, PrefixRecord } from './state.ts';
import { emptyWatchedWindow } from './watch.ts';

/**
 * The kinds of records that one scope names each. The account's record has K5 inside and a draft of its own. Copies name
 * their fields: a spread costs ten times as much, which for a decision is the difference between fast and slow.
 */

export const networkKind: RecordKind<NetworkRecord> = {
  scope: 'K1',
  empty: {
    at: 0,
    standing: cleanStanding,
    spray: emptyWatchedWindow,
    devicesSeenAt: [],
    agentsSeenAt: [],
    bucket: fullBucket,
  },
  copy: ({ standing, spray, devicesSeenAt, agentsSeenAt, bucket }, at) => ({
    at,
    standing,
    spray,
    devicesSeenAt,
    agentsSeenAt,
    bucket,
  }),
};

export const agentKind: RecordKind<AgentRecord> = {
  scope: 'K2',
  empty: { at: 0, standing: cleanStanding, churn: emptyWatchedWindow, bucket: fullBucket },
  copy: ({ standing, churn, bucket }, at) => ({ at, standing, churn, bucket }),
};

export const networkDeviceKind: RecordKind<NetworkDeviceRecord> = {
  scope: 'K3',
  empty: { at: 0, standing: cleanStanding, bucket: fullBucket },
  copy: ({ standing, bucket }, at) => ({ at, standing, bucket }),
};

export const deviceKind: RecordKind<DeviceRecord> = {
  scope: 'D',
  empty: { at: 0, standing: cleanStanding, dilution: emptyWatchedWindow, dilutedAt: null },
  copy: ({ standing, dilution, dilutedAt }, at) => ({ at, standing, dilution, dilutedAt }),
};

const emptyPrefix: PrefixRecord = { at: 0, standing: cleanStanding, children: [], accounts: [] };
const copyPrefix = ({ standing, children, accounts }: PrefixRecord, at: number): PrefixRecord => ({
  at,
  standing,
  children,
  accounts,
});

export const p48Kind: RecordKind<PrefixRecord> = { scope: 'P48', empty: emptyPrefix, copy: copyPrefix };
export const p40Kind: RecordKind<PrefixRecord> = { scope: 'P40', empty: emptyPrefix, copy: copyPrefix };
