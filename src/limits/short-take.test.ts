import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClientRecord } from '../core/client-state.ts';
import type { Records, Retention } from '../core/records.ts';
import { cleanStanding } from '../core/standing.ts';
import { tokenOf } from '../core/subject.ts';
import { toAllowance } from './allowance.ts';
import { ClientKeyspace } from './client-keys.ts';
import { clientRecord, ladder, sightMs } from './client-record.ts';
import { ShortTake, takeLent, takeShort } from './short-take.ts';
import { take } from './take.ts';

const now = 1_700_000_000_000;
const key = new ClientKeyspace('test', 'limiter').user(tokenOf('user', null));
const rates = [0.001, 2, 100] as const;

/** Records as they may stand before a call, on both sides of every condition of the short way. */
const scene = fc
  .record({
    ratePerSecond: fc.constantFrom(...rates),
    burst: fc.constantFrom(2, 4),
    cost: fc.constantFrom(0, 1, 1, 3, 1_000_000),
    agoMs: fc.constantFrom(0, 1, 500, sightMs - 1, sightMs, sightMs + 1, -1),
    blockedAgoMs: fc.constantFrom(null, null, null, 1, 500_000),
    paidAgoMs: fc.constantFrom(0, 0, 10),
    owedShare: fc.double({ min: 0, max: 1, noNaN: true }),
    otherLimit: fc.constantFrom(false, false, false, true),
    askingAgoMs: fc.constantFrom(0, 50, 99, 100, 999, 1_000),
    asking: fc.constantFrom(0, 1_000, 5_000),
    askedShare: fc.constantFrom(0, 0.04, 0.06, 0.5, 0.99, 1),
  })
  .map(({ ratePerSecond, burst, ...before }) => ({
    ...before,
    allowance: toAllowance('limiter', { ratePerSecond, burst }),
  }));

type Scene = typeof scene extends fc.Arbitrary<infer Value> ? Value : never;

function recordOf(before: Scene): ClientRecord {
  const { quota, blockAbove } = before.allowance;
  const owed = Math.floor(before.owedShare * quota.capacity * quota.periodMs);
  const owedMs = Math.floor(owed / quota.limit);
  const { blockedAgoMs } = before;
  const standing =
    blockedAgoMs === null
      ? cleanStanding
      : {
          ...cleanStanding,
          memory: ladder.maxLevel,
          hardLevel: ladder.maxLevel,
          hardAt: now - blockedAgoMs - 60_000,
          hardUntil: now - blockedAgoMs,
        };
  return clientRecord(
    now - before.agoMs,
    standing,
    {
      tatMs: before.paidAgoMs > 0 ? now - before.paidAgoMs : now + owedMs,
      tatUnits: owed - owedMs * quota.limit,
    },
    before.otherLimit ? quota.limit * 2 : quota.limit,
    {
      asked: [],
      askingAt: now - before.askingAgoMs,
      asking: before.asking,
      askedTotal: Math.max(before.asking, Math.floor(before.askedShare * blockAbove * 1_000)),
    },
  );
}

/** What the long way makes of a record: what it tells, what it puts, and for how long. */
function takeLong(record: ClientRecord, { allowance, cost }: Scene) {
  let put: { readonly value: unknown; readonly retention: Retention } | null = null;
  const records: Records = {
    get: () => record as never,
    put: (_, value, retention) => {
      put = { value, retention };
    },
  };
  const ask = { client: key, allowance, scale: 1, cost, blocksInShadow: false };
  const { t, refusal, takenMilli, remaining, moreAt } = take(records, ask, now);
  return { told: { t, refusal, takenMilli, remaining, moreAt }, put };
}

describe('the short way of a call', () => {
  it('tells, writes and keeps what the long one does, or leaves the record as it was', () => {
    let gone = 0;
    fc.assert(
      fc.property(scene, (before) => {
        const record = recordOf(before);
        const short = new ShortTake(key, before.allowance.quota, before.cost, before.allowance);
        if (!takeShort(record, now, short)) {
          expect(record).toEqual(recordOf(before));
          return;
        }
        gone += 1;
        const { t, refusal, takenMilli, remaining, moreAt } = short;
        expect({
          told: { t, refusal, takenMilli, remaining, moreAt },
          put: { value: record, retention: { keepMs: sightMs, softMs: 0, hardMs: 0 } },
        }).toEqual(takeLong(recordOf(before), before));
      }),
      { numRuns: 5_000 },
    );
    expect(gone).toBeGreaterThan(100);
  });

  it('is gone in a step on what the store lends, and tells, puts and keeps what the long one does', () => {
    let gone = 0;
    fc.assert(
      fc.property(scene, (before) => {
        const lent = recordOf(before);
        let put: unknown = null;
        const records: Records = {
          get: () => lent as never,
          own: () => lent as never,
          put: (_, value, retention) => {
            put = { value, retention };
          },
        };
        const short = new ShortTake(key, before.allowance.quota, before.cost, before.allowance);
        if (!takeLent(records, short, now)) {
          expect({ lent, put }).toEqual({ lent: recordOf(before), put: null });
          return;
        }
        gone += 1;
        const { t, refusal, takenMilli, remaining, moreAt } = short;
        const long = takeLong(recordOf(before), before);
        expect({ told: { t, refusal, takenMilli, remaining, moreAt }, put }).toEqual(long);
      }),
      { numRuns: 2_000 },
    );
    expect(gone).toBeGreaterThan(50);
  });

  it('is not gone on what nobody lends', () => {
    const { quota } = toAllowance('limiter', { ratePerSecond: 2 });
    const short = new ShortTake(key, quota, 1, toAllowance('limiter', { ratePerSecond: 2 }));
    const put = () => expect.unreachable();
    expect(takeLent({ get: () => undefined, put }, short, now)).toBe(false);
    expect(takeLent({ get: () => undefined, own: () => undefined, put }, short, now)).toBe(false);
  });

  it('is gone by a client that is known, asked a moment ago and pays', () => {
    const allowance = toAllowance('limiter', { ratePerSecond: 2 });
    const record = clientRecord(now - 10, cleanStanding, { tatMs: now, tatUnits: 0 }, allowance.quota.limit, {
      asked: [],
      askingAt: now - 10,
      asking: 1_000,
      askedTotal: 1_000,
    });
    expect(takeShort(record, now, new ShortTake(key, allowance.quota, 1, allowance))).toBe(true);
  });
});
