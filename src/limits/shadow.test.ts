import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { Call } from './call.ts';
import { createLimiter } from './limiter.ts';
import type { LimiterOptions } from './limiter-options.ts';

const start = 1_700_000_000_000;
const get: Call = { method: 'GET', path: '/list', ip: '203.0.113.7', ua: 'curl/8.0' };
type Shadow = NonNullable<LimiterOptions['shadow']>;
const shadows: readonly [string, Shadow][] = [
  ['limits', ['limit']],
  ['auto-blocks', ['auto-block']],
  ['everything', true],
];

/** Limiters of one name over one store, as one after another when a configuration changes. */
function bench() {
  let now = start;
  const store = createMemoryStore({ clock: () => now });
  const limits = { ratePerSecond: 4, burst: 2 };
  return {
    limiterWith: (shadow: Shadow) =>
      createLimiter({ store, secret: 'sixteen bytes or more', clock: () => now, ...limits, shadow }),
    elapse: (ms: number) => {
      now += ms;
    },
  };
}

type Limiter = ReturnType<typeof createLimiter>;

async function listed(limiter: Limiter): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of limiter.blocks()) ids.push(id);
  return ids;
}

/** Asks for more than ten times the rate; gives what became of the call that was too much. */
async function flood(limiter: Limiter) {
  let verdict = await limiter.take(get);
  for (let calls = 0; calls < 100; calls += 1) {
    if (verdict.rule === 'auto-block' || verdict.shadow?.rule === 'auto-block') return verdict;
    verdict = await limiter.take(get);
  }
  return verdict;
}

describe.each(shadows)('with %s in shadow', (_, shadow) => {
  it('an operator’s block is enforced, listed, lifted, and ends', async () => {
    const { limiterWith, elapse } = bench();
    const limiter = limiterWith(shadow);
    expect(await limiter.block(get)).toBe(start + 60_000);
    expect(await limiter.take(get)).toMatchObject({ allowed: false, rule: 'blocked', retryAfterMs: 60_000 });
    expect(await listed(limiter)).toEqual([await limiter.blockIdOf(get)]);
    expect(await limiter.lift(get)).toBe(true);
    expect(await limiter.take(get)).toMatchObject({ allowed: true, shadow: null });
    await limiter.block(get);
    elapse(600_000);
    expect((await limiter.take(get)).allowed).toBe(true);
    expect(await listed(limiter)).toEqual([]);
  });

  it('a block goes on that was placed before or is placed meanwhile', async () => {
    const { limiterWith } = bench();
    const other: Call = { ...get, user: 'other' };
    await limiterWith(false).block(get);
    expect(await limiterWith(shadow).take(get)).toMatchObject({ allowed: false, rule: 'blocked' });
    await limiterWith(shadow).block(other);
    expect(await limiterWith(false).take(other)).toMatchObject({ allowed: false, rule: 'blocked' });
  });
});

describe('limits in shadow', () => {
  it('leave auto-blocks enforced, which go on when the shadow ends', async () => {
    const { limiterWith } = bench();
    const limiter = limiterWith(['limit']);
    expect(await flood(limiter)).toMatchObject({ allowed: false, rule: 'auto-block', shadow: null });
    expect(await listed(limiter)).toHaveLength(1);
    expect((await limiterWith(false).take(get)).rule).toBe('blocked');
  });

  it('leave no bucket that is enforced later, also not by a settlement', async () => {
    const { limiterWith } = bench();
    const limiter = limiterWith(['limit']);
    const verdict = await limiter.take(get);
    await limiter.settle(verdict, 1_000);
    expect((await limiter.take(get)).shadow?.rule).toBe('limit');
    expect((await limiterWith(false).take(get)).quota?.remaining).toBe(1);
  });
});

describe('auto-blocks in shadow', () => {
  it('are told, neither listed nor enforced, then or later', async () => {
    const { limiterWith, elapse } = bench();
    const limiter = limiterWith(['auto-block']);
    expect((await flood(limiter)).shadow?.rule).toBe('auto-block');
    expect(await listed(limiter)).toEqual([]);
    expect(await limiter.lift(get)).toBe(false);
    elapse(1_000);
    expect(await limiter.take(get)).toMatchObject({ allowed: true, shadow: { rule: 'blocked' } });
    expect((await limiterWith(false).take(get)).rule).toBe('limit');
  });

  it('leave the bucket as it is, which is enforced before, meanwhile and after', async () => {
    const { limiterWith } = bench();
    expect((await limiterWith(false).take(get)).quota?.remaining).toBe(1);
    const verdict = await limiterWith(['auto-block']).take(get);
    expect(verdict.quota?.remaining).toBe(0);
    expect((await limiterWith(false).take(get)).rule).toBe('limit');
    await limiterWith(['auto-block']).settle(verdict, 0);
    expect((await limiterWith(false).take(get)).allowed).toBe(true);
  });
});

it('leaves nothing that a limiter of another name would enforce', async () => {
  const store = createMemoryStore();
  const options = { store, secret: 'sixteen bytes or more', ratePerSecond: 1, warn: () => {} };
  const shadowed = createLimiter({ ...options, name: 'api', shadow: true });
  const other = createLimiter({ ...options, name: 'api.shadow' });
  for (let n = 0; n < 60; n += 1) expect((await shadowed.take(get)).allowed).toBe(true);
  expect((await other.take(get)).rule).toBeNull();
});
