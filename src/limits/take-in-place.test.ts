import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Key, Records, StoredRecord } from '../core/records.ts';
import { createMemoryStore, type MemoryStore } from '../stores/memory/index.ts';
import type { Store } from '../stores/store.ts';
import type { Verdict } from './index.ts';
import { createLimiter, type LimiterOptions } from './index.ts';

/** One thing that happens to a limiter. */
interface Move {
  readonly user: string | null;
  readonly cost: number;
  /** May be negative: clocks run backwards. */
  readonly passedMs: number;
  readonly scale: number;
  readonly ratePerSecond: number;
  readonly afterwards: 'nothing' | 'settle' | 'block' | 'lift';
}

const move: fc.Arbitrary<Move> = fc.record({
  user: fc.constantFrom('alice', 'bob', null),
  cost: fc.constantFrom(0, 1, 1, 1, 3, 40),
  passedMs: fc.oneof(fc.constantFrom(0, 0, 50, 1_000, -500), fc.nat(6_000), fc.constant(1_000_000)),
  scale: fc.constantFrom(1, 1, 1, 0.5),
  ratePerSecond: fc.constantFrom(2, 2, 2, 0.01),
  afterwards: fc.constantFrom('nothing', 'nothing', 'nothing', 'settle', 'block', 'lift'),
});

/** Calls over minutes, or so close together that they bring a block. */
const trace = fc
  .tuple(fc.constantFrom(1, 0.001), fc.array(move, { minLength: 20, maxLength: 80 }))
  .map(([pace, moves]) => moves.map((each) => ({ ...each, passedMs: Math.round(each.passedMs * pace) })));

/** A limiter over a memory store of its own, which lends its records to be changed in place or has them copied. */
function sceneOf(inPlace: boolean, options: Partial<LimiterOptions>) {
  const at = { now: 1_700_000_000_000, scale: 1, ratePerSecond: 2 };
  const store = createMemoryStore({ clock: () => at.now });
  const limiter = createLimiter({
    store: inPlace ? store : lendingNothing(store),
    secret: 'a secret of some length',
    clock: () => at.now,
    refillScale: () => at.scale,
    limitFor: () => limits[at.ratePerSecond],
    ...options,
  });
  return { at, store, limiter, keys: new Map<string, Key>() };
}

function lendingNothing(store: MemoryStore): Store {
  return {
    ...store,
    transact: (keys, step) => store.transact(keys, (records, now) => step(withoutOwn(records), now)),
  };
}

const withoutOwn = (records: Records): Records => ({
  get: (key) => records.get(key),
  put: (key, value, retention) => records.put(key, value, retention),
});

const limits: Record<number, { ratePerSecond: number }> = {
  2: { ratePerSecond: 2 },
  0.01: { ratePerSecond: 0.01 },
};

type Scene = ReturnType<typeof sceneOf>;

async function play({ at, limiter, keys }: Scene, { user, cost, afterwards, ...move }: Move) {
  at.now += move.passedMs;
  at.scale = move.scale;
  at.ratePerSecond = move.ratePerSecond;
  const client = { ip: '192.0.2.1', ua: 'agent', user };
  const verdict = await limiter.take({ method: 'GET', path: '/list', cost, ...client });
  const told = toldIn(verdict);
  if (verdict.ticket !== null) keys.set(verdict.ticket.key.text, verdict.ticket.key);
  if (afterwards === 'settle') await limiter.settle(verdict, 2);
  if (afterwards === 'block') await limiter.block(client);
  if (afterwards === 'lift') await limiter.lift(client);
  return told;
}

/** All of a verdict but the bookmark that a store leaves in a key. */
function toldIn({ ticket, ...verdict }: Verdict) {
  return {
    ...verdict,
    ticket: ticket && { key: ticket.key.text, quota: ticket.quota, takenMilli: ticket.takenMilli },
  };
}

async function leftBehind({ store, keys }: Scene) {
  const held: string[] = [];
  for await (const { key } of store.held('')) held.push(key);
  const records: (StoredRecord | undefined)[] = [...keys.values()].map((key) =>
    store.immediate.view([key], (found) => found.get(key)),
  );
  return { held: held.sort(), records, usage: store.usage() };
}

describe('a record changed in place', () => {
  it.each([{}, { shadow: true }, { shadow: ['auto-block'] as const }])(
    'says the same as a new one would, with %j',
    async (options) => {
      await fc.assert(
        fc.asyncProperty(trace, async (moves) => {
          const [revised, renewed] = [sceneOf(true, options), sceneOf(false, options)];
          for (const each of moves) expect(await play(revised, each)).toEqual(await play(renewed, each));
          expect(await leftBehind(revised)).toEqual(await leftBehind(renewed));
        }),
        { numRuns: 100 },
      );
    },
  );

  it('is the same object from call to call', async () => {
    const scene = sceneOf(true, {});
    const call = {
      user: 'alice',
      cost: 1,
      passedMs: 10,
      scale: 1,
      ratePerSecond: 2,
      afterwards: 'nothing',
    } as const;
    await play(scene, call);
    const before = await leftBehind(scene);
    await play(scene, call);
    const after = await leftBehind(scene);
    expect(after.records[0]).toBe(before.records[0]);
  });
});
