import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Decision } from '../../src/core/decision.ts';
import type { Guard } from '../../src/guard/guard.ts';
import type { GuardRequest } from '../../src/guard/signals.ts';
import { createGuard } from '../../src/index.ts';
import { createLimiter } from '../../src/limits/index.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import type { Store } from '../../src/stores/store.ts';
import type { TrafficEvent } from '../engine/oracle/request.ts';
import { Traffic } from '../engine/traffic.ts';
import type { OpenedStore } from './under-test.ts';

export interface GuardConformanceOptions {
  /** Random traces that are compared with the memory store, and events of each. */
  readonly traces: number;
  readonly events: number;
}

const owner: GuardRequest = {
  action: 'auth.login',
  account: 'owner',
  ip: '192.0.2.1',
  ua: 'Firefox/1',
  device: { id: 'mine', confidence: 'HIGH' },
};
const guesser = (account: string, index = 0): GuardRequest => ({
  action: 'auth.login',
  account,
  ip: '203.0.113.9',
  ua: 'Chrome/2',
  device: { id: `guess${index}`, confidence: 'MEDIUM' },
});
const operator = { by: 'alice', why: 'the owner called' };

async function allBlocks<B>(blocked: { blocks(): AsyncIterable<B> }): Promise<B[]> {
  const blocks: B[] = [];
  for await (const block of blocked.blocks()) blocks.push(block);
  return blocks;
}

/** Runs an event at its own time. */
function runEvent(
  guard: Guard,
  { op, t, cost, action = 'auth.login', ...signals }: TrafficEvent,
): Promise<Decision> {
  const time = { at: t };
  const request = { action, ...signals };
  return op === 'consume' ? guard.consume(request, cost, time) : guard[op](request, time);
}

/**
 * What a guard promises on every store: the decisions of the memory store, no lost failure, blocks that operators can
 * see and lift, and keys that can be rotated in the middle of traffic.
 */
export function guardConformance(
  name: string,
  open: () => Promise<OpenedStore>,
  options: GuardConformanceOptions,
): void {
  describe(`guard on ${name}`, () => {
    let opened: OpenedStore | undefined;

    beforeAll(async () => {
      opened = await open();
    });

    afterAll(async () => {
      await opened?.close();
    });

    const openStore = (): Store => {
      if (opened === undefined) throw new ReferenceError('the store has not been opened');
      return opened.store;
    };

    /** A guard of its own environment: tests share a store, not records. */
    const guardOn = (
      secret: Uint8Array = randomBytes(32),
      environment: string = randomUUID(),
      previousSecret?: Uint8Array,
    ): Guard => {
      return createGuard({
        secret,
        environment,
        store: openStore(),
        failure: { deadlineMs: null },
        ...(previousSecret === undefined ? {} : { previousSecret }),
      });
    };

    /** Plays one random trace here and on memory; a store of records knows nothing of the time that is handed in. */
    async function compareTrace(seed: number): Promise<void> {
      const traffic = new Traffic(seed);
      let t = 0;
      const memory = createMemoryStore({ clock: () => t, sweptBy: () => Number.NEGATIVE_INFINITY });
      const expected = createGuard({ secret: randomBytes(32), store: memory });
      const guard = guardOn();
      for (let index = 0; index < options.events; index += 1) {
        const event = traffic.next();
        t = event.t;
        const decision = await runEvent(expected, event);
        expect(await runEvent(guard, event), `seed ${seed}, event ${index}`).toEqual(decision);
        traffic.heard({ t, ...decision });
      }
    }

    it(`gives the decisions of the memory store, ${options.traces} traces of ${options.events} events`, async () => {
      const seeds = Array.from({ length: options.traces }, (_, index) => index + 1);
      await Promise.all(seeds.map(compareTrace));
    });

    it('counts parallel failures one by one', async () => {
      const guard = guardOn();
      const failures = await Promise.all(
        Array.from({ length: 19 }, (_, index) =>
          guard.fail({ ...owner, account: 'crowd', device: null, ip: `198.51.100.${index}` }),
        ),
      );
      expect(failures.some(({ outcome }) => outcome === 'HARD_BLOCK')).toBe(true);
      const { budget, keys } = await guard.explain({ ...owner, account: 'crowd', device: null });
      const counted = failures.filter(
        ({ reasons }) => !reasons.some(({ rule, scope }) => rule === 'blocked' && scope === 'K4'),
      ).length;
      expect(budget?.failures).toBe(counted);
      expect(keys.find(({ scope }) => scope === 'K4')?.score).toBe(6 * (counted - 1));
    });

    it('lists the blocks of a limiter beside it, and lifts one by its id', async () => {
      const limiter = createLimiter({
        secret: randomBytes(32),
        environment: randomUUID(),
        store: openStore(),
      });
      const [user, network] = [
        { ip: '203.0.113.9', user: 'u1' },
        { ip: '203.0.113.9', ua: 'Chrome/2' },
      ];
      const until = { U: await limiter.block(user, 3), K2: await limiter.block(network, 2) };
      const listed = await allBlocks(limiter);
      expect(listed.map(({ scope }) => scope).sort()).toEqual(['K2', 'U']);
      for (const block of listed) expect(block.until).toBe(until[block.scope]);
      for (const { id } of listed)
        expect([await limiter.lift(id), await limiter.lift(id)]).toEqual([true, false]);
      expect(await allBlocks(limiter)).toEqual([]);
    });

    it('lists a block, lifts it, and leaves score and memory', async () => {
      const guard = guardOn();
      for (const _ of [1, 2, 3]) await guard.fail(guesser('victim'));
      const [block, ...others] = (await allBlocks(guard)).filter(({ outcome }) => outcome === 'HARD_BLOCK');
      expect(others).toEqual([]);
      expect(block).toMatchObject({ policy: 'login', scope: 'K4', level: 2 });
      expect(await guard.lift(block?.id ?? '', operator)).toBe(true);
      expect((await guard.check(guesser('victim'))).outcome).toBe('ALLOW');
      expect(await guard.lift(block?.id ?? '', operator)).toBe(false);
      const { keys } = await guard.explain(guesser('victim'));
      expect(keys.find(({ scope }) => scope === 'K4')).toMatchObject({
        score: 9,
        rememberedLevel: 2,
        hard: null,
      });
    });

    it('places a block, with an audit record of who, why and until when', async () => {
      const guard = guardOn();
      const placed = await guard.place(owner, { scope: 'K1', level: 3, ...operator });
      expect(await guard.check({ ...owner, device: null })).toMatchObject({
        outcome: 'HARD_BLOCK',
        level: 3,
        scope: 'K1',
        until: placed.until,
      });
      expect((await allBlocks(guard)).map(({ id }) => id)).toEqual([placed.id]);
      const [act] = await guard.audit();
      expect(act).toMatchObject({ what: 'placed', block: placed.id, ...operator });
      expect(Math.abs((act?.until ?? 0) - placed.until)).toBeLessThan(5_000);
    });

    it('forgets a device of an account, with an audit record, and no other', async () => {
      const guard = guardOn();
      const other = { ...owner, device: { id: 'my other', confidence: 'HIGH' } } as const;
      await guard.succeed(owner);
      await guard.succeed(other);
      expect(await guard.forgetDevice('owner', 'mine', operator)).toBe(true);
      expect(await guard.forgetDevice('owner', 'mine', operator)).toBe(false);
      expect((await guard.explain(owner)).device).toBe('unknown');
      expect((await guard.explain(other)).device).toBe('trusted');
      expect(await guard.audit()).toEqual([
        expect.objectContaining({ what: 'removed', until: null, ...operator }),
      ]);
      await guard.succeed(owner);
      expect((await guard.explain(owner)).device).toBe('trusted');
    });

    it('forgets a device in the middle of a rotation, for nodes too that have the former secret only', async () => {
      const [first, second] = [randomBytes(32), randomBytes(32)];
      const environment = randomUUID();
      const before = guardOn(first, environment);
      await before.succeed(owner);
      const after = guardOn(second, environment, first);
      expect(await after.forgetDevice('owner', 'mine', operator)).toBe(true);
      for (const guard of [before, after]) expect((await guard.explain(owner)).device).toBe('unknown');
    });

    it('keeps blocks, scores, budgets and devices through a rotation in the middle of traffic', async () => {
      const [first, second] = [randomBytes(32), randomBytes(32)];
      const environment = randomUUID();
      const before = guardOn(first, environment);
      await before.succeed(owner);
      for (const _ of [1, 2, 3]) await before.fail(guesser('owner'));
      const blocked = await before.check(guesser('owner'));
      const after = guardOn(second, environment, first);
      expect(await after.check(guesser('owner'))).toMatchObject({
        outcome: blocked.outcome,
        until: blocked.until,
      });
      expect((await after.check(owner)).outcome).toBe('ALLOW');
      expect((await after.explain(owner)).device).toBe('trusted');
      expect((await after.explain(guesser('owner'))).budget?.failures).toBe(3);
      await after.succeed(owner);
      const alone = guardOn(second, environment);
      expect((await alone.explain(owner)).device).toBe('trusted');
      expect((await alone.check(guesser('owner'))).outcome).toBe('HARD_BLOCK');
    });

    it('keeps a longer block of before a rotation, and lifts it', async () => {
      const [first, second] = [randomBytes(32), randomBytes(32)];
      const environment = randomUUID();
      const before = await guardOn(first, environment).place(owner, { scope: 'K4', level: 5, ...operator });
      const after = guardOn(second, environment, first);
      const { id, level, until } = await after.place(owner, { scope: 'K4', level: 1, ...operator });
      expect({ level, until }).toEqual({ level: 5, until: before.until });
      expect((await after.explain(owner)).keys.map((key) => key.id)).toEqual([id]);
      expect(await after.lift(id, operator)).toBe(true);
      expect((await after.check(guesser('owner'))).outcome).toBe('ALLOW');
      expect(await allBlocks(after)).toEqual([]);
    });
  });
}
