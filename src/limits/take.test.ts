import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../core/duration.ts';
import type { Token } from '../core/subject.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import { type Limit, toAllowance } from './allowance.ts';
import { ClientKeyspace, keysOf } from './client-keys.ts';
import { settle } from './settle.ts';
import { type Ask, type Taken, take } from './take.ts';

const token = (hash: string): Token => ({ hash, was: null });
const keyspace = new ClientKeyspace('test', 'default');
const alice = keyspace.user(token('alice'));
const start = 1_700_000_000_000;

/** A store in simulated time, and calls on it. */
function bench(limit: Limit) {
  let now = start;
  const { immediate } = createMemoryStore({ clock: () => now });
  const allowance = toAllowance('test', limit);
  const call = (cost = 1, ask: Partial<Ask> = {}): Taken => {
    const full: Ask = { client: alice, allowance, scale: 1, cost, blocksInShadow: false, ...ask };
    return immediate.transact(keysOf(full.client), (records, t) => take(records, full, t));
  };
  return {
    allowance,
    call,
    allowed: (cost = 1, ask: Partial<Ask> = {}) => call(cost, ask).refusal === null,
    settle: (taken: Taken, cost: number) =>
      immediate.transact([taken.key], (records, t) =>
        settle(records, { key: taken.key, ...allowance.quota, takenMilli: taken.takenMilli, cost }, t),
      ),
    elapse: (ms: number) => {
      now += ms;
    },
    sinceStart: () => now - start,
    /** Asks for so many units at once, one by one; gives what became of the last. */
    flood: (units: number, ask: Partial<Ask> = {}): Taken => {
      let last = call(1, ask);
      for (let asked = 1; asked < units; asked += 1) last = call(1, ask);
      return last;
    },
  };
}

const anyLimit = fc.record({
  ratePerSecond: fc.integer({ min: 1, max: 400 }).map((quarters) => quarters / 4),
  burst: fc.constantFrom(2, 2.5, 3, 4),
});

describe('a bucket', () => {
  it('holds burst × rate and refills at the rate', () => {
    const { call, elapse } = bench({ ratePerSecond: 10, burst: 3 });
    for (let left = 29; left >= 0; left -= 1) expect(call().remaining).toBe(left);
    expect(call().refusal).toEqual({ rule: 'limit', until: start + 100 });
    elapse(100);
    expect(call().refusal).toBeNull();
    expect(call().refusal).toEqual({ rule: 'limit', until: start + 200 });
  });

  it('is exact: allows what an ideal bucket allows, at every millisecond', () => {
    const anyCall = fc.record({
      gapMs: fc.integer({ min: 0, max: 1_500 }),
      cost: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(anyLimit, fc.array(anyCall, { maxLength: 60 }), (limit, calls) => {
        const { allowed, elapse, allowance } = bench(limit);
        // In thousandths of a unit per millisecond a rate is itself.
        const capacity = allowance.quota.capacity;
        let tokens = capacity;
        for (const { gapMs, cost } of calls) {
          elapse(gapMs);
          tokens = Math.min(capacity, tokens + gapMs * limit.ratePerSecond);
          const wanted = Math.min(cost * 1_000, capacity);
          const fits = tokens >= wanted;
          if (fits) tokens -= wanted;
          expect(allowed(cost)).toBe(fits);
        }
      }),
    );
  });

  it('says exactly when the refused call conforms: not a millisecond earlier', () => {
    fc.assert(
      fc.property(anyLimit, fc.integer({ min: 1, max: 12 }), (limit, cost) => {
        const { call, allowed, elapse } = bench(limit);
        let refused = call(cost);
        while (refused.refusal === null) refused = call(cost);
        expect(refused.refusal.rule).toBe('limit');
        const wait = refused.refusal.until - start;
        elapse(wait - 1);
        expect(allowed(cost)).toBe(false);
        elapse(1);
        expect(allowed(cost)).toBe(true);
      }),
    );
  });

  it('takes nothing from a refused call', () => {
    const { call, allowed, elapse } = bench({ ratePerSecond: 2, burst: 2 });
    for (let i = 0; i < 4; i += 1) expect(allowed()).toBe(true);
    for (let i = 0; i < 20; i += 1) expect(call(2).takenMilli).toBe(0);
    elapse(500);
    expect(allowed()).toBe(true);
  });

  it('tells when one more unit is there', () => {
    fc.assert(
      fc.property(anyLimit, fc.integer({ min: 1, max: 30 }), (limit, calls) => {
        const { call, elapse, allowance } = bench(limit);
        let taken = call(1);
        for (let i = 1; i < calls; i += 1) taken = call(1);
        fc.pre(taken.refusal === null || taken.refusal.rule === 'limit');
        elapse(Math.max(0, taken.moreAt - taken.t));
        const later = call(0);
        expect(later.remaining).toBe(Math.min(taken.remaining + 1, allowance.capacity));
      }),
    );
  });

  it('lets a call that costs more than it holds have all of it', () => {
    const { allowed, elapse } = bench({ ratePerSecond: 1, burst: 2 });
    expect(allowed(50)).toBe(true);
    expect(allowed(1)).toBe(false);
    elapse(1_999);
    expect(allowed(50)).toBe(false);
    elapse(1);
    expect(allowed(50)).toBe(true);
  });

  it('keeps a bucket for each client', () => {
    const { allowed } = bench({ ratePerSecond: 1, burst: 2 });
    expect(allowed(2)).toBe(true);
    expect(allowed(1)).toBe(false);
    expect(allowed(2, { client: keyspace.user(token('bob')) })).toBe(true);
  });

  it('does not give back what is owed when its clock runs backwards', () => {
    const { allowed, elapse } = bench({ ratePerSecond: 1, burst: 2 });
    expect(allowed(2)).toBe(true);
    elapse(-10_000);
    expect(allowed(1)).toBe(false);
  });
});

describe('pressure', () => {
  it('slows the refill and keeps what is owed', () => {
    const { call, allowed, elapse } = bench({ ratePerSecond: 10, burst: 2 });
    expect(allowed(20)).toBe(true);
    expect(call(1, { scale: 0.1 }).refusal?.until).toBe(start + 1_000);
    elapse(999);
    expect(allowed(1, { scale: 0.1 })).toBe(false);
    elapse(1);
    expect(allowed(1, { scale: 0.1 })).toBe(true);
    expect(call(1).refusal?.until).toBe(start + 1_100);
  });

  it.each([
    [0, 1_000],
    [-3, 1_000],
    [0.05, 1_000],
    [0.5, 200],
    [7, 100],
    [Number.NaN, 100],
  ])('of %d waits %d ms a unit', (scale, wait) => {
    const { call } = bench({ ratePerSecond: 10, burst: 2 });
    call(20, { scale });
    expect(call(1, { scale }).refusal?.until).toBe(start + wait);
  });

  it('is not escaped by a call without it in between', () => {
    const passedUnderPressure = (between: boolean): number => {
      const { allowed, call, elapse } = bench({ ratePerSecond: 10, burst: 2 });
      let passed = 0;
      for (let tenth = 0; tenth < 600; tenth += 1) {
        if (allowed(1, { scale: 0.1 })) passed += 1;
        if (between) call(0);
        elapse(100);
      }
      return passed;
    };
    expect(passedUnderPressure(true)).toBe(passedUnderPressure(false));
  });

  it('counts from the last call on when it comes, and until the first call after it when it goes', () => {
    const { call, elapse } = bench({ ratePerSecond: 10, burst: 2 });
    call(20);
    elapse(1_000);
    expect(call(0, { scale: 0.1 }).remaining).toBe(1);
    elapse(1_000);
    expect(call(0).remaining).toBe(2);
    elapse(1_000);
    expect(call(0).remaining).toBe(12);
  });

  it('never creates or destroys what is in the bucket by changing', () => {
    const anyScale = fc.integer({ min: 10, max: 100 }).map((percent) => percent / 100);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), fc.array(anyScale, { maxLength: 20 }), (spent, scales) => {
        const { call } = bench({ ratePerSecond: 20, burst: 3 });
        const before = call(spent).remaining;
        for (const scale of scales) expect(call(0, { scale }).remaining).toBe(before);
      }),
    );
  });
});

describe('auto-block', () => {
  const rate = { ratePerSecond: 2, burst: 2 };
  const threshold = 10 * 5 * 2;

  it('blocks for a minute who asks for more than ten times the rate over five seconds', () => {
    const { call, allowed, elapse } = bench(rate);
    for (let asked = 0; asked < threshold; asked += 1) expect(call().refusal?.rule).not.toBe('auto-block');
    expect(call().refusal).toEqual({ rule: 'auto-block', until: start + MINUTE_MS });
    expect(call().refusal).toEqual({ rule: 'blocked', until: start + MINUTE_MS });
    elapse(MINUTE_MS - 1);
    expect(allowed()).toBe(false);
    elapse(1);
    expect(allowed()).toBe(true);
  });

  it('counts cost, also that of refused calls', () => {
    const { call } = bench(rate);
    for (let asked = 0; asked < threshold; asked += 4) expect(call(4).refusal?.rule).not.toBe('auto-block');
    expect(call(1).refusal?.rule).toBe('auto-block');
  });

  it('looks at the last five seconds only', () => {
    const { call, flood, elapse } = bench(rate);
    flood(threshold);
    elapse(5 * SECOND_MS);
    expect(call(1).refusal?.rule).not.toBe('auto-block');
    flood(threshold - 1);
    elapse(5 * SECOND_MS - 1);
    expect(call(1).refusal?.rule).toBe('auto-block');
  });

  it('is not extended by what arrives while it runs', () => {
    const { call, flood, allowed, elapse } = bench(rate);
    flood(threshold + 1);
    for (let i = 0; i < 500; i += 1) {
      elapse(100);
      expect(call(4).refusal).toEqual({ rule: 'blocked', until: start + MINUTE_MS });
    }
    elapse(10_000);
    expect(allowed()).toBe(true);
  });

  it('climbs the ladder to level 4 and forgets', () => {
    const { flood, elapse, sinceStart } = bench(rate);
    const blockedMs = () => {
      const { refusal } = flood(threshold + 1);
      expect(refusal?.rule).toBe('auto-block');
      const ms = (refusal?.until ?? 0) - start - sinceStart();
      elapse(ms);
      return ms / MINUTE_MS;
    };
    expect([blockedMs(), blockedMs(), blockedMs(), blockedMs()]).toEqual([1, 5, 30, 30]);
    elapse(5 * 60 * MINUTE_MS);
    expect(blockedMs()).toBe(1);
  });

  it('never blocks who asks for no more than the threshold in any five seconds', () => {
    const anyCall = fc.record({ gapMs: fc.nat(150), cost: fc.nat(4) });
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 150, size: 'max' }), (calls) => {
        const { call, elapse, sinceStart } = bench(rate);
        const asked: { at: number; cost: number }[] = [];
        for (const { gapMs, cost } of calls) {
          elapse(gapMs);
          asked.push({ at: sinceStart(), cost });
          const within = asked.filter(({ at }) => at > sinceStart() - 5_000);
          const total = within.reduce((sum, each) => sum + each.cost, 0);
          const { refusal } = call(cost);
          if (refusal?.rule === 'auto-block') {
            expect(total).toBeGreaterThan(threshold);
            return;
          }
        }
      }),
    );
  });

  it('takes ten single calls at once for no flood, however slow the rate', () => {
    const { call, flood } = bench({ ratePerSecond: 0.001, burst: 2 });
    expect(flood(10).refusal?.rule).toBe('limit');
    expect(call(1).refusal?.rule).toBe('auto-block');
  });

  it('notes at most 51 entries however many calls come', () => {
    const { call, elapse, allowance } = bench({ ratePerSecond: 1_000, burst: 2 });
    let now = start;
    const store = createMemoryStore({ clock: () => now });
    const ask: Ask = { client: alice, allowance, scale: 1, cost: 5, blocksInShadow: false };
    for (let i = 0; i < 8_000; i += 1) {
      now += 1;
      store.immediate.transact(keysOf(alice), (records, t) => take(records, ask, t));
    }
    const asked = store.immediate.view(keysOf(alice), (records) => records.get(alice)?.asked ?? []);
    expect(asked.length / 2).toBeLessThanOrEqual(51);
    expect(asked.length / 2).toBeGreaterThan(40);
    elapse(0);
    expect(call().refusal).toBeNull();
  });

  it('in shadow is noted and nothing else', () => {
    const { call, flood, elapse } = bench(rate);
    const shadow = { blocksInShadow: true };
    const last = flood(threshold + 1, shadow);
    expect(last.refusal?.rule).toBe('limit');
    expect(last.shadowBlock).toEqual({ rule: 'auto-block', until: start + MINUTE_MS });
    elapse(10_000);
    const later = call(1, shadow);
    expect(later.refusal).toBeNull();
    expect(later.shadowBlock).toEqual({ rule: 'blocked', until: start + MINUTE_MS });
  });
});

describe('settlement', () => {
  it('gives back what the call did not need', () => {
    const { call, settle, allowed } = bench({ ratePerSecond: 2, burst: 2 });
    const taken = call(4);
    expect(allowed(1)).toBe(false);
    settle(taken, 1);
    expect(allowed(3)).toBe(true);
    expect(allowed(1)).toBe(false);
  });

  it('takes more than is there, and the client waits until it has paid', () => {
    const { call, settle, allowed, elapse } = bench({ ratePerSecond: 2, burst: 2 });
    settle(call(1), 10);
    expect(call(1).refusal?.until).toBe(start + 3_500);
    elapse(3_499);
    expect(allowed(1)).toBe(false);
    elapse(1);
    expect(allowed(1)).toBe(true);
  });

  it('never fills a bucket beyond its capacity', () => {
    fc.assert(
      fc.property(anyLimit, fc.integer({ min: 1, max: 200 }), fc.nat(9_000), (limit, cost, gapMs) => {
        const { call, settle, elapse, allowance } = bench(limit);
        const taken = call(cost);
        elapse(gapMs);
        settle(taken, 0);
        expect(call(0).remaining).toBe(allowance.capacity);
      }),
    );
  });

  it('makes nobody wait for more than a day', () => {
    const { call, settle } = bench({ ratePerSecond: 0.001, burst: 2 });
    settle(call(1), 1_000_000);
    const { refusal } = call(1);
    expect(refusal?.until).toBeLessThanOrEqual(start + 24 * 60 * MINUTE_MS);
    expect(refusal?.until).toBeGreaterThan(start + 23 * 60 * MINUTE_MS);
  });
});

describe('agents of one network', () => {
  const network = token('network');
  const other = token('other');
  const agentKey = (agent: string) => keyspace.anonymous(network, token(agent), other);

  it('get buckets of their own, up to fifty; the rest share one', () => {
    const { allowed } = bench({ ratePerSecond: 1, burst: 2 });
    for (let agent = 0; agent < 50; agent += 1)
      expect(allowed(2, { client: agentKey(`${agent}`) })).toBe(true);
    expect(allowed(2, { client: agentKey('fifty-first') })).toBe(true);
    for (let agent = 0; agent < 500; agent += 1) {
      expect(allowed(1, { client: agentKey(`late ${agent}`) })).toBe(false);
    }
    expect(allowed(1, { client: keyspace.anonymous(network, other, other) })).toBe(false);
  });

  it('keep their bucket and their block when others crowd in', () => {
    const { call, flood, elapse } = bench({ ratePerSecond: 1, burst: 2 });
    flood(51, { client: agentKey('flooder') });
    for (let agent = 0; agent < 60; agent += 1) call(1, { client: agentKey(`${agent}`) });
    elapse(10_000);
    expect(call(1, { client: agentKey('flooder') }).refusal?.rule).toBe('blocked');
  });

  it('are forgotten after a quarter of an hour without a call', () => {
    const { call, elapse } = bench({ ratePerSecond: 1, burst: 2 });
    for (let agent = 0; agent < 50; agent += 1) call(2, { client: agentKey(`${agent}`) });
    elapse(15 * MINUTE_MS);
    const { key } = call(1, { client: agentKey('new') });
    expect(key.text).toBe(agentKey('new').text);
  });
});
