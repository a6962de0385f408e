import { describe, expect, it } from 'vitest';
import { blockSeenDevices, findAccountDevice, makeAccountDevice } from './account-devices.ts';
import { enterBook } from './book.ts';
import { MINUTE_MS } from './duration.ts';
import { defaultLogin } from './policy.ts';
import { accountKind } from './record-kinds.ts';
import type { Draft } from './records.ts';
import { Ruling } from './ruling.ts';
import { cleanStanding, type Standing } from './standing.ts';
import type { AccountDevice, AccountRecord, BookEntry } from './state.ts';
import type { Token } from './subject.ts';

const now = 10 * 60 * MINUTE_MS;
const { caps } = defaultLogin;
const token = (hash: string, was: string | null = null): Token => ({ hash, was });
const bookOf = (...ids: string[]): BookEntry[] => ids.map((id) => ({ id, bound: false, usedAt: 0 }));

const device = (id: string, failures: number[], standing: Partial<Standing> = {}): Draft<AccountDevice> => ({
  id,
  standing: { ...cleanStanding, ...standing },
  failures,
});

/** An account with these devices. */
const accountOf = (devices: Draft<AccountDevice>[], devicesMadeAt: number[] = []): Draft<AccountRecord> => ({
  ...accountKind.make(),
  devices,
  devicesMadeAt,
});

const renamed = { token: token('new name of d0', 'd0'), confidence: 'MEDIUM' } as const;

/** A full account: sixteen devices, d0 unused the longest. */
const fullOf = (change: (index: number) => Partial<AccountDevice> = () => ({})) =>
  accountOf(
    Array.from({ length: 16 }, (_, index) => ({
      ...device(`d${index}`, [1, 2, 100 + index]),
      ...(change(index) as Partial<Draft<AccountDevice>>),
    })),
  );

/** Which device has to go for a new one. */
function evictedFrom(record: Draft<AccountRecord>, book: readonly BookEntry[] = []): string[] {
  const before = record.devices.map(({ id }) => id);
  const made = makeAccountDevice(record, token('new'), now, caps, book);
  const after = record.devices.map(({ id }) => id);
  expect(after).toEqual([...before.filter((id) => after.includes(id)), ...(made ? ['new'] : [])]);
  return before.filter((id) => !after.includes(id));
}

describe('a device’s entry in its account (§6)', () => {
  it('is found under its present hash and under the previous one', () => {
    const devices = [device('a', []), device('b', [])];
    expect([findAccountDevice(devices, token('b')), findAccountDevice(devices, token('new', 'b'))]).toEqual([
      devices[1],
      devices[1],
    ]);
    expect(findAccountDevice(devices, token('c', 'd'))).toBeUndefined();
  });

  it('is made when there is none, behind the others, and its time is noted', () => {
    const record = accountOf([device('a', [5])], [now - 1]);
    const made = makeAccountDevice(record, token('b', 'b0'), now, caps, []);
    expect(made).toEqual({ id: 'b', standing: cleanStanding, failures: [] });
    expect(record.devices.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(record.devices[1]).toBe(made);
    expect(record.devicesMadeAt).toEqual([now - 1, now]);
  });

  it('is not made when ten were made within 15 minutes', () => {
    const oldest = now - 15 * MINUTE_MS;
    const times = (first: number) => [first, ...Array.from({ length: 9 }, () => now - 1)];
    const busy = accountOf([device('a', [])], times(oldest + 1));
    expect(makeAccountDevice(busy, token('b'), now, caps, [])).toBeNull();
    expect(busy.devices.map(({ id }) => id)).toEqual(['a']);
    const calmer = accountOf([], times(oldest));
    expect(makeAccountDevice(calmer, token('b'), now, caps, [])?.id).toBe('b');
    expect(calmer.devicesMadeAt).toEqual([...times(oldest).slice(1), now]);
  });
});

describe('a full account (§6)', () => {
  it('holds sixteen devices: the sixteenth costs nobody his place', () => {
    const record = fullOf();
    record.devices.pop();
    expect(evictedFrom(record)).toEqual([]);
    expect(record.devices.length).toBe(16);
  });

  it('drops the one whose last failure lies longest back', () => {
    expect(evictedFrom(fullOf((index) => (index === 7 ? { failures: [3, 5, 50] } : {})))).toEqual(['d7']);
    expect(evictedFrom(fullOf((index) => (index === 7 ? { failures: [] } : {})))).toEqual(['d7']);
  });

  it('drops the older entry of equals', () => {
    expect(evictedFrom(fullOf(() => ({ failures: [100] })))).toEqual(['d0']);
  });

  it('drops none with a running HARD or SOFT, but one whose block has just ended', () => {
    const blocked = (index: number, standing: Partial<Standing>) => (other: number) =>
      other === index ? { standing: { ...cleanStanding, ...standing } } : {};
    expect(evictedFrom(fullOf(blocked(0, { hardUntil: now + 1 })))).toEqual(['d1']);
    expect(evictedFrom(fullOf(blocked(0, { softUntil: now + 1 })))).toEqual(['d1']);
    expect(evictedFrom(fullOf(blocked(0, { hardUntil: now, softUntil: now })))).toEqual(['d0']);
  });

  it('drops those that are not in the book first, and known ones only when there are no others', () => {
    expect(evictedFrom(fullOf(), bookOf('d0', 'd1', 'd3', 'elsewhere'))).toEqual(['d2']);
    const all = fullOf().devices.map(({ id }) => id);
    expect(evictedFrom(fullOf(), bookOf(...all))).toEqual(['d0']);
    expect(evictedFrom(fullOf(), bookOf(...all.slice(0, 15)))).toEqual(['d15']);
  });

  it('knows a device that the book has under a new name since a success of a key rotation', () => {
    const book = enterBook({ at: 0, devices: bookOf('d0') }, renamed, now, caps.bookDevices);
    expect(evictedFrom(fullOf(), book.devices)).toEqual(['d1']);
  });

  it('takes no new device while all have a block', () => {
    const record = fullOf(() => ({ standing: { ...cleanStanding, softUntil: now + 1 } }));
    expect(makeAccountDevice(record, token('new'), now, caps, [])).toBeNull();
    expect([record.devices.length, record.devicesMadeAt]).toEqual([16, []]);
  });
});

describe('blockSeenDevices (§8)', () => {
  it('blocks each device of the window that has an entry; only the request’s own is a reason', () => {
    const mine = device('mine', [], { memory: 2, hardUntil: now });
    const [seen, unseen] = [device('seen', []), device('unseen', [])];
    const ruling = new Ruling(defaultLogin);
    const window = ['gone', 'seen', 'mine'].map((id) => ({ id, at: now }));
    blockSeenDevices('rotation', ruling, accountOf([unseen, mine, seen]), window, now, mine);
    const until = now + 5 * MINUTE_MS;
    expect(ruling.settle()).toEqual([
      { rule: 'rotation', scope: 'K5', outcome: 'HARD_BLOCK', level: 3, until },
    ]);
    expect([mine, seen, unseen].map(({ standing }) => standing.hardUntil)).toEqual([
      until,
      now + MINUTE_MS,
      0,
    ]);
  });
});
