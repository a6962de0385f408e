import { describe, expect, it } from 'vitest';
import type { RecordKind } from './draft.ts';
import {
  accountKind,
  agentKind,
  deviceKind,
  networkDeviceKind,
  networkKind,
  p40Kind,
  p48Kind,
} from './record-kinds.ts';
import type { StoredRecord } from './records.ts';
import { cleanStanding } from './standing.ts';
import { watchedWindow } from './watch.ts';

interface Sample {
  readonly kind: RecordKind<StoredRecord>;
  readonly record: StoredRecord;
}

const sample = <R extends StoredRecord>(kind: RecordKind<R>, fields: Partial<R>): Sample => ({
  kind,
  record: { ...kind.make(), ...fields },
});

const watched = () =>
  watchedWindow(
    [
      { id: 'a', at: 1 },
      { id: 'b', at: 2 },
    ],
    9,
  );

/** One of every kind, with something in each of its lists. */
const samples: readonly Sample[] = [
  sample(accountKind, {
    at: 5,
    missingAt: 4,
    devices: [{ id: 'd', standing: { ...cleanStanding, score: 3 }, failures: [1, 2] }],
    devicesMadeAt: [1],
    rotation: watched(),
    rotations: [1],
    flood: watched(),
    floodUntil: 7,
    softs: [1],
    budget: { failures: [1], epochStart: 1, cooldownUntil: 2, softUntil: 3, guarded: true },
  }),
  sample(networkKind, {
    at: 5,
    spray: watched(),
    devicesSeenAt: [1],
    agentsSeenAt: [2],
    bucket: { tatMs: 1, tatUnits: 2 },
  }),
  sample(agentKind, { at: 5, churn: watched() }),
  sample(networkDeviceKind, { at: 5 }),
  sample(deviceKind, { at: 5, dilution: watched(), dilutedAt: 3 }),
  sample(p48Kind, { at: 5, children: [{ id: 'a', at: 1 }], accounts: [{ id: 'b', at: 2 }] }),
  sample(p40Kind, { at: 5, children: [{ id: 'a', at: 1 }], accounts: [{ id: 'b', at: 2 }] }),
];

/** Every object and list in a value. */
function partsOf(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(partsOf)];
}

describe('a copy of a record', () => {
  it.each(samples)(
    'of $kind.scope is the same and shares nothing that could be changed',
    ({ kind, record }) => {
      const copy = kind.copy(record);
      expect(copy).toEqual(record);
      const shared = new Set(partsOf(record));
      expect(partsOf(copy).filter((part) => shared.has(part) && !Object.isFrozen(part))).toEqual([]);
    },
  );

  it.each(samples)('of $kind.scope that was just made shares nothing with the next', ({ kind }) => {
    const first = new Set(partsOf(kind.make()));
    expect(partsOf(kind.make()).filter((part) => first.has(part) && !Object.isFrozen(part))).toEqual([]);
  });
});

describe('a record of which nothing is known yet', () => {
  const unseen = { id: null, at: 0, others: null, watchUntil: null };
  const full = { tatMs: 0, tatUnits: 0 };
  const blank = { at: 0, standing: cleanStanding };

  it('of an account', () => {
    expect([accountKind.scope, accountKind.make()]).toEqual([
      'K4',
      {
        ...blank,
        missingAt: null,
        devices: [],
        devicesMadeAt: [],
        rotation: unseen,
        rotations: [],
        flood: unseen,
        floodUntil: 0,
        softs: [],
        budget: { failures: [], epochStart: null, cooldownUntil: 0, softUntil: 0, guarded: false },
      },
    ]);
  });

  it('of a network, an agent and a device at a network: full buckets', () => {
    expect([networkKind, agentKind, networkDeviceKind].map(({ scope, make }) => [scope, make()])).toEqual([
      ['K1', { ...blank, spray: unseen, devicesSeenAt: [], agentsSeenAt: [], bucket: full }],
      ['K2', { ...blank, churn: unseen, bucket: full }],
      ['K3', { ...blank, bucket: full }],
    ]);
  });

  it('of a device and of prefixes', () => {
    expect([deviceKind, p48Kind, p40Kind].map(({ scope, make }) => [scope, make()])).toEqual([
      ['D', { ...blank, dilution: unseen, dilutedAt: null }],
      ['P48', { ...blank, children: [], accounts: [] }],
      ['P40', { ...blank, children: [], accounts: [] }],
    ]);
  });
});
