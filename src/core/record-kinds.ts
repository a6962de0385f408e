import { draftBucket, fullBucket } from './bucket.ts';
import { copyBudget, makeBudget } from './budget.ts';
import type { RecordKind } from './draft.ts';
import type { Draft } from './records.ts';
import { cleanStanding, draftStanding } from './standing.ts';
import type {
  AccountDevice,
  AccountRecord,
  AgentRecord,
  DeviceRecord,
  NetworkDeviceRecord,
  NetworkRecord,
  PrefixRecord,
} from './state.ts';
import { copyWatchedWindow, makeWatchedWindow } from './watch.ts';
import { copyWindow } from './window.ts';

/**
 * The kinds of records: what each is before anything is known, and how it is copied. Copies name their fields: a spread
 * costs ten times as much, which for a decision is the difference between fast and slow.
 */

export const accountKind: RecordKind<AccountRecord> = {
  scope: 'K4',
  make: () => ({
    at: 0,
    standing: cleanStanding,
    missingAt: null,
    devices: [],
    devicesMadeAt: [],
    rotation: makeWatchedWindow(),
    rotations: [],
    flood: makeWatchedWindow(),
    floodUntil: 0,
    softs: [],
    budget: makeBudget(),
  }),
  copy: (record) => ({
    at: record.at,
    standing: draftStanding(record.standing),
    missingAt: record.missingAt,
    devices: record.devices.map(copyDevice),
    devicesMadeAt: record.devicesMadeAt.slice(),
    rotation: copyWatchedWindow(record.rotation),
    rotations: record.rotations.slice(),
    flood: copyWatchedWindow(record.flood),
    floodUntil: record.floodUntil,
    softs: record.softs.slice(),
    budget: copyBudget(record.budget),
  }),
};

const copyDevice = ({ id, standing, failures }: AccountDevice): Draft<AccountDevice> => ({
  id,
  standing: draftStanding(standing),
  failures: failures.slice(),
});

export const networkKind: RecordKind<NetworkRecord> = {
  scope: 'K1',
  make: () => ({
    at: 0,
    standing: cleanStanding,
    spray: makeWatchedWindow(),
    devicesSeenAt: [],
    agentsSeenAt: [],
    bucket: fullBucket,
  }),
  copy: ({ at, standing, spray, devicesSeenAt, agentsSeenAt, bucket }) => ({
    at,
    standing: draftStanding(standing),
    spray: copyWatchedWindow(spray),
    devicesSeenAt: devicesSeenAt.slice(),
    agentsSeenAt: agentsSeenAt.slice(),
    bucket: draftBucket(bucket),
  }),
};

export const agentKind: RecordKind<AgentRecord> = {
  scope: 'K2',
  make: () => ({
    at: 0,
    standing: cleanStanding,
    churn: makeWatchedWindow(),
    bucket: fullBucket,
  }),
  copy: ({ at, standing, churn, bucket }) => ({
    at,
    standing: draftStanding(standing),
    churn: copyWatchedWindow(churn),
    bucket: draftBucket(bucket),
  }),
};

export const networkDeviceKind: RecordKind<NetworkDeviceRecord> = {
  scope: 'K3',
  make: () => ({ at: 0, standing: cleanStanding, bucket: fullBucket }),
  copy: ({ at, standing, bucket }) => ({
    at,
    standing: draftStanding(standing),
    bucket: draftBucket(bucket),
  }),
};

export const deviceKind: RecordKind<DeviceRecord> = {
  scope: 'D',
  make: () => ({ at: 0, standing: cleanStanding, dilution: makeWatchedWindow(), dilutedAt: null }),
  copy: ({ at, standing, dilution, dilutedAt }) => ({
    at,
    standing: draftStanding(standing),
    dilution: copyWatchedWindow(dilution),
    dilutedAt,
  }),
};

const makePrefix = (): Draft<PrefixRecord> => ({
  at: 0,
  standing: cleanStanding,
  children: [],
  accounts: [],
});
const copyPrefix = ({ at, standing, children, accounts }: PrefixRecord): Draft<PrefixRecord> => ({
  at,
  standing: draftStanding(standing),
  children: copyWindow(children),
  accounts: copyWindow(accounts),
});

export const p48Kind: RecordKind<PrefixRecord> = { scope: 'P48', make: makePrefix, copy: copyPrefix };
export const p40Kind: RecordKind<PrefixRecord> = { scope: 'P40', make: makePrefix, copy: copyPrefix };
