import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fullBucket } from './bucket.ts';
import type { RecordKind } from './draft.ts';
import { Fault } from './fault.ts';
import { Keyspace } from './keys.ts';
import {
  accountForm,
  agentForm,
  auditForm,
  bookForm,
  clientForm,
  deviceForm,
  formNamed,
  networkDeviceForm,
  networkForm,
  pinsForm,
  prefixForm,
  type RecordForm,
  textOf,
} from './record-forms.ts';
import {
  accountKind,
  agentKind,
  deviceKind,
  networkDeviceKind,
  networkKind,
  p48Kind,
} from './record-kinds.ts';
import type { StoredRecord } from './records.ts';
import { cleanStanding } from './standing.ts';
import { tokenOf } from './subject.ts';
import { watchedWindow } from './watch.ts';

/** Any that a clock may give; often 0, which is none for some, and no time of a day for none. */
const time = fc.oneof(fc.constant(0), fc.nat(1_000), fc.integer({ min: 0, max: 8_640_000_000_000_000 }));
const moment = fc.option(time);
const times = fc.array(time, { maxLength: 4 });
const count = fc.nat(1_000);
const id = fc.oneof(
  fc.constantFrom('a', 'R6uy9chl2A7XVsf2nxwg1D', ''),
  fc.string(),
  fc.constant('"\\\u2028'),
);
const standing = fc.oneof(
  fc.constant(cleanStanding),
  fc.record({
    score: count,
    scoreAt: time,
    softLevel: count,
    softUntil: time,
    hardLevel: count,
    hardAt: moment,
    hardUntil: time,
    memory: count,
  }),
);
const bucket = fc.oneof(fc.constant(fullBucket), fc.record({ tatMs: time, tatUnits: count }));
const window = fc.array(fc.record({ id, at: time }), { maxLength: 4 });
const watched = fc.tuple(window, moment).map(([seen, until]) => watchedWindow(seen, until));
const budget = fc.record({
  failures: times,
  epochStart: moment,
  cooldownUntil: time,
  softUntil: time,
  guarded: fc.boolean(),
});
const device = fc.record({ id, standing, failures: times });
const entry = fc.record(
  { id, was: id, bound: fc.boolean(), usedAt: time },
  { requiredKeys: ['id', 'bound', 'usedAt'] },
);

const client = fc
  .record({
    at: time,
    standing,
    tatMs: time,
    tatUnits: count,
    limit: count,
    asked: fc.array(fc.tuple(time, count), { maxLength: 3 }),
    askingAt: time,
    asking: count,
    askedTotal: count,
  })
  .map((record) => ({ ...record, asked: record.asked.flat() }));

const noted = { id, by: id, why: id, from: time, until: time };
const pin = fc.oneof(
  fc.record({ ...noted, kind: fc.constant('scenario'), scenario: id }),
  fc.record({
    ...noted,
    kind: fc.constant('limit'),
    ratePerSecond: fc.integer({ min: 1 }).map((thousandths) => thousandths / 1_000),
    burst: fc.option(fc.integer({ min: 2, max: 4 })),
  }),
);
const act = fc.record({ at: time, what: id, block: id, by: id, why: id, until: moment });

interface Formed {
  readonly form: RecordForm<StoredRecord>;
  readonly record: fc.Arbitrary<StoredRecord>;
}

const formed = <R extends StoredRecord>(form: RecordForm<R>, record: fc.Arbitrary<R>): Formed => ({
  form: form as RecordForm<StoredRecord>,
  record,
});

const all: readonly Formed[] = [
  formed(
    accountForm,
    fc.record({
      at: time,
      standing,
      missingAt: moment,
      devices: fc.array(device, { maxLength: 3 }),
      devicesMadeAt: times,
      rotation: watched,
      rotations: times,
      flood: watched,
      floodUntil: time,
      softs: times,
      budget,
    }),
  ),
  formed(bookForm, fc.record({ at: time, devices: fc.array(entry, { maxLength: 3 }) })),
  formed(
    networkForm,
    fc.record({ at: time, standing, spray: watched, devicesSeenAt: times, agentsSeenAt: times, bucket }),
  ),
  formed(agentForm, fc.record({ at: time, standing, churn: watched, bucket })),
  formed(networkDeviceForm, fc.record({ at: time, standing, bucket })),
  formed(deviceForm, fc.record({ at: time, standing, dilution: watched, dilutedAt: moment })),
  formed(prefixForm, fc.record({ at: time, standing, children: window, accounts: window })),
  formed(clientForm, client),
  formed(pinsForm, fc.record({ at: time, pins: fc.array(pin, { maxLength: 3 }) })),
  formed(
    auditForm,
    fc.record({
      at: time,
      acts: fc.array(act, { maxLength: 3 }),
      open: fc.array(fc.record({ turn: id, act }), { maxLength: 3 }),
    }),
  ),
];

const read = (form: RecordForm<StoredRecord>, text: string): StoredRecord => {
  const fields = JSON.parse(text);
  return form.read(fields, fields.at);
};

describe.each(all)('the form of $form.name', ({ form, record }) => {
  test('gives back what was written, and names itself', () => {
    fc.assert(
      fc.property(record, (written) => {
        const text = textOf(form, written);
        expect(read(form, text)).toEqual(written);
        expect(formNamed(JSON.parse(text).form)).toBe(form);
      }),
      { numRuns: 500 },
    );
  });

  test('gives back a record whose fields stand in the order of a new one', () => {
    fc.assert(
      fc.property(record, (written) => {
        expect(Object.keys(read(form, textOf(form, written)))).toEqual(Object.keys(written));
      }),
    );
  });

  test('reads what was damaged as a record of its kind, or refuses it', () => {
    const damage = fc.constantFrom<unknown>(
      null,
      '1',
      1.5,
      1e300,
      -1,
      true,
      [],
      {},
      [1],
      [{}],
      ['a'],
      ['a', 'b'],
    );
    fc.assert(
      fc.property(record, fc.nat(), damage, (written, which, instead) => {
        const fields = JSON.parse(textOf(form, written));
        const names = [...Object.keys(written), 'rotationWatchUntil'].filter((name) => name !== 'at');
        fields[names[which % names.length] as string] = instead;
        try {
          const again = read(form, JSON.stringify(fields));
          expect(read(form, textOf(form, again))).toEqual(again);
        } catch (fault) {
          expect(fault).toBeInstanceOf(Fault);
          expect(fault).toMatchObject({ code: 'RECORD_CORRUPT' });
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a form whose records are copied', () => {
  const copied = all.filter(({ form }) => form.copy !== undefined);

  test('is that of clients', () => {
    expect(copied.map(({ form }) => form)).toEqual([clientForm]);
  });

  test.each(copied)('of $form.name leaves nothing of what was there', ({ form, record }) => {
    fc.assert(
      fc.property(record, record, (from, to) => {
        const before = textOf(form, from);
        form.copy?.(from, to);
        expect(to).toEqual(from);
        expect(textOf(form, from)).toBe(before);
      }),
    );
  });
});

const kinds: readonly (readonly [RecordForm<StoredRecord>, RecordKind<StoredRecord>])[] = [
  [accountForm, accountKind],
  [networkForm, networkKind],
  [agentForm, agentKind],
  [networkDeviceForm, networkDeviceKind],
  [deviceForm, deviceKind],
  [prefixForm, p48Kind],
] as (readonly [RecordForm<StoredRecord>, RecordKind<StoredRecord>])[];

test.each(kinds)(
  '%o writes nothing of a new record but its time, and shares what all share',
  (form, kind) => {
    const text = textOf(form, kind.make());
    expect(text).toBe(`{"form":"${form.name}","at":0}`);
    const again = read(form, text) as { standing?: unknown; bucket?: unknown };
    expect(again.standing).toBe(cleanStanding);
    if ('bucket' in again) expect(again.bucket).toBe(fullBucket);
  },
);

test('times are told by how long they lie before that of the record', () => {
  const record = {
    ...deviceKind.make(),
    at: 1_000,
    dilution: watchedWindow([{ id: 'n', at: 940 }], 1_500),
  };
  expect(textOf(deviceForm, record)).toBe(
    '{"form":"D","at":1000,"dilution":["n",60],"dilutionWatchUntil":-500}',
  );
});

test('every key of the engine names the form of its record', () => {
  const keys = new Keyspace('test', 'login');
  const token = tokenOf('t', null);
  const named = [
    [keys.account(token), accountForm],
    [keys.book(token), bookForm],
    [keys.network(token), networkForm],
    [keys.agent(token, token), agentForm],
    [keys.networkDevice(token, token), networkDeviceForm],
    [keys.device(token), deviceForm],
    [keys.macro('P48', token), prefixForm],
    [keys.macro('P40', token), prefixForm],
    [keys.macro('P32', token), prefixForm],
  ] as const;
  for (const [key, form] of named) expect(formNamed(key.form)).toBe(form);
});

const seen = [{ id: 'a', at: 1 }];
const full = watchedWindow(seen, 9);
const blocked = {
  score: 1,
  scoreAt: 1,
  softLevel: 1,
  softUntil: 1,
  hardLevel: 1,
  hardAt: 1,
  hardUntil: 1,
  memory: 1,
};
interface Sample {
  readonly form: RecordForm<StoredRecord>;
  readonly record: StoredRecord;
}

const sample = <R extends StoredRecord>(form: RecordForm<R>, record: R): Sample => ({
  form: form as RecordForm<StoredRecord>,
  record,
});

/** One of every kind, with something in each of its fields. */
const samples: readonly Sample[] = [
  sample(accountForm, {
    at: 5,
    standing: blocked,
    missingAt: 4,
    devices: [{ id: 'd', standing: blocked, failures: [1] }],
    devicesMadeAt: [1],
    rotation: full,
    rotations: [1],
    flood: full,
    floodUntil: 7,
    softs: [1],
    budget: { failures: [1], epochStart: 1, cooldownUntil: 2, softUntil: 3, guarded: true },
  }),
  sample(bookForm, { at: 5, devices: [{ id: 'd', was: 'c', bound: true, usedAt: 1 }] }),
  sample(networkForm, {
    at: 5,
    standing: blocked,
    spray: full,
    devicesSeenAt: [1],
    agentsSeenAt: [1],
    bucket: { tatMs: 1, tatUnits: 1 },
  }),
  sample(agentForm, { at: 5, standing: blocked, churn: full, bucket: { tatMs: 1, tatUnits: 1 } }),
  sample(networkDeviceForm, { at: 5, standing: blocked, bucket: { tatMs: 1, tatUnits: 1 } }),
  sample(deviceForm, { at: 5, standing: blocked, dilution: full, dilutedAt: 1 }),
  sample(prefixForm, { at: 5, standing: blocked, children: seen, accounts: seen }),
  sample(clientForm, {
    at: 5,
    standing: blocked,
    tatMs: 6,
    tatUnits: 1,
    limit: 1_000,
    asked: [1, 1_000],
    askingAt: 4,
    asking: 2_000,
    askedTotal: 3_000,
  }),
];

/** Every place in a value, as the names that lead to it. */
function placesIn(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [[]];
  const inner = Object.entries(value).flatMap(([name, part]) =>
    placesIn(part).map((rest) => [name, ...rest]),
  );
  return [[], ...inner];
}

/** The same value with something else in one place. */
function damaged(value: unknown, [name, ...rest]: readonly string[], instead: unknown): unknown {
  if (name === undefined) return instead;
  const part = (value as Record<string, unknown>)[name];
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[name] = damaged(part, rest, instead);
  return copy;
}

/** What is told of damage in this place: the field of the record, or of the standing, that it lies in. */
function nameOf(place: readonly string[]): string {
  const [top = ''] = place;
  const inner =
    top === 'budget' ? undefined : place.findLast((name) => name === 'standing' || name in blocked);
  return inner ?? top.replace('WatchUntil', '');
}

test.each(samples)('the form of $form.name says which field cannot be read', ({ form, record }) => {
  const fields = JSON.parse(textOf(form, record));
  const places = placesIn(fields).filter(([name]) => name !== undefined && name !== 'form' && name !== 'at');
  expect(places.length).toBeGreaterThan(3);
  for (const place of places) {
    for (const instead of [null, 1.5]) {
      const text = JSON.stringify(damaged(fields, place, instead));
      expect(() => read(form, text), text).toThrow(`as its ${nameOf(place)}.`);
    }
  }
});

test('a form that nobody has is none', () => {
  expect([formNamed('K9'), formNamed(undefined), formNamed('toString')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
