import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Scope, scopes } from '../core/decision.ts';
import { HOUR_MS, SECOND_MS } from '../core/duration.ts';
import { createGuard } from '../index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { ActiveBlock } from './block-steps.ts';
import type { Guard } from './guard.ts';

const former = 'the secret before the rotation';
const present = 'the secret after the rotation';
const note = { by: 'alice', why: 'the owner called' };
const subject = {
  action: 'auth.login',
  account: 'a1',
  ip: '2001:db8::7',
  ua: 'Firefox/1',
  device: { id: 'd1', confidence: 'MEDIUM' },
} as const;

/** A store with a guard before, within and after a rotation of its secret. */
function rotation() {
  const time = { now: 1_000_000 };
  const store = createMemoryStore({ clock: () => time.now });
  return {
    time,
    before: createGuard({ secret: former, store }),
    within: createGuard({ secret: present, previousSecret: former, store }),
    after: createGuard({ secret: present, store }),
  };
}

async function blocksOf(guard: Guard): Promise<ActiveBlock[]> {
  const blocks: ActiveBlock[] = [];
  for await (const block of guard.blocks()) blocks.push(block);
  return blocks;
}

async function explainedId(guard: Guard, scope: Scope): Promise<string> {
  const key = (await guard.explain(subject)).keys.find((candidate) => candidate.scope === scope);
  return key?.id ?? '';
}

describe('a block from before a rotation of the secret', () => {
  it.each(scopes)('on %s is lifted by the id that an explanation gives', async (scope) => {
    const { before, within } = rotation();
    await before.fail(subject);
    await before.place(subject, { scope, level: 5, ...note });
    const id = await explainedId(within, scope);
    expect(await within.lift(id, note)).toBe(true);
    expect((await within.explain(subject)).keys.filter(({ hard }) => hard !== null)).toEqual([]);
    expect(await blocksOf(within)).toEqual([]);
    expect(await within.lift(id, note)).toBe(false);
  });

  it('is lifted by that id also after a write has taken it over', async () => {
    const { time, before, within } = rotation();
    await before.place(subject, { scope: 'K4', level: 1, ...note });
    const id = await explainedId(within, 'K4');
    time.now += 16 * SECOND_MS;
    await within.place(subject, { scope: 'K4', level: 5, ...note });
    expect(await within.lift(id, note)).toBe(true);
    expect((await within.check(subject)).outcome).toBe('ALLOW');
    expect(await blocksOf(within)).toEqual([]);
  });

  it('is lifted, and that is told, where only nodes without the new secret know it', async () => {
    const { before, within } = rotation();
    await within.fail(subject);
    await before.place(subject, { scope: 'K4', level: 5, ...note });
    const id = await explainedId(within, 'K4');
    expect(await within.lift(id, note)).toBe(true);
    expect((await before.check(subject)).outcome).toBe('ALLOW');
    expect((await within.audit()).map(({ what }) => what)).toEqual(['placed', 'lifted']);
    expect(await within.lift(id, note)).toBe(false);
  });

  it('is lifted by the id it is listed with', async () => {
    const { before, within } = rotation();
    await before.place(subject, { scope: 'K4', level: 5, ...note });
    const [block] = await blocksOf(within);
    expect(await within.lift(block?.id ?? '', note)).toBe(true);
    expect((await within.check(subject)).outcome).toBe('ALLOW');
  });

  it.each(scopes)('on %s stays where it lasts longer than one that is placed', async (scope) => {
    const { time, before, within } = rotation();
    await before.fail(subject);
    const first = await before.place(subject, { scope, level: 5, ...note });
    const second = await within.place(subject, { scope, level: 1, ...note });
    expect(second).toMatchObject({ level: first.level, until: first.until });
    time.now += 16 * SECOND_MS;
    const held = (await within.explain(subject)).keys.filter(({ hard }) => hard !== null);
    expect(held.map((key) => [key.scope, key.hard?.until])).toEqual([[scope, first.until]]);
  });

  it('gives way to a longer one, which stands when the rotation is over', async () => {
    const { time, before, within, after } = rotation();
    await before.place(subject, { scope: 'K4', level: 1, ...note });
    const { id, until } = await within.place(subject, { scope: 'K4', level: 5, ...note });
    expect(until).toBe(time.now + 6 * HOUR_MS);
    expect(await after.check(subject)).toMatchObject({ outcome: 'HARD_BLOCK', until });
    expect(await after.lift(id, note)).toBe(true);
    expect((await after.check(subject)).outcome).toBe('ALLOW');
  });
});

describe('a list of blocks', () => {
  it('has some of each policy at its beginning, however many one of them has', async () => {
    const guard = createGuard({ secret: present });
    for (let index = 0; index < 20; index += 1) {
      await guard.place({ ...subject, account: `a${index}` }, { scope: 'K4', level: 3, ...note });
    }
    for (const action of ['auth.otp', 'api.heavy']) {
      await guard.place({ ...subject, action }, { scope: 'K1', level: 3, ...note });
    }
    const policies = (await blocksOf(guard)).map(({ policy }) => policy);
    expect(policies.slice(0, 3).sort()).toEqual(['api', 'login', 'otp']);
    expect(policies).toHaveLength(22);
  });
});

describe('the audit trail', () => {
  it('holds nothing of a lift without a block, however often, and of a placement that was refused', async () => {
    const { before: guard } = rotation();
    const { id } = await guard.place(subject, { scope: 'K4', level: 2, ...note });
    for (let turn = 0; turn < 300; turn += 1) {
      expect(await guard.lift('login:K4:aaaaaaaaaaaaaaaaaaaaaa', note)).toBe(false);
    }
    const unknown = guard.place(subject, { scope: 'K5', level: 3, ...note });
    await expect(unknown).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    const bare = guard.place({ ...subject, device: null }, { scope: 'K5', level: 3, ...note });
    await expect(bare).rejects.toMatchObject({
      message: 'scope K5 needs a request with an account and a device',
    });
    const none = guard.place(subject, { scope: 'toString' as 'K4', level: 3, ...note });
    await expect(none).rejects.toMatchObject({ message: expect.stringContaining('must be one of K4, K5') });
    expect((await guard.audit()).map(({ what, block }) => ({ what, block }))).toEqual([
      { what: 'placed', block: id },
    ]);
  });

  it('says until when a block runs, also where a longer one was running', async () => {
    const { before: guard } = rotation();
    const { until } = await guard.place(subject, { scope: 'K4', level: 5, ...note });
    await guard.place(subject, { scope: 'K4', level: 1, ...note });
    expect((await guard.audit()).map((act) => act.until)).toEqual([until, until]);
  });
});

describe('a block id', () => {
  it('that is none is refused, whatever it is', async () => {
    const { within } = rotation();
    const part = fc.constantFrom('login', 'K4', 'K2', 'K5', 'x', '', ':', '.', 'a.b', 'a.b.c', '.a', 'a.');
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.array(part).map((parts) => parts.join(':')),
        ),
        async (id) => {
          const answer = await within.lift(id, note).catch((cause: unknown) => cause);
          if (answer !== false) expect(answer).toMatchObject({ name: 'Fault', code: 'INPUT_INVALID' });
        },
      ),
    );
  });
});

describe('a block on a network', () => {
  it.each(['K1', 'K2', 'P48', 'P40'] as const)(
    '%s is placed without an account, and is the same',
    async (scope) => {
      const guard = createGuard({ secret: present });
      const { account: _, ...network } = subject;
      const placed = await guard.place(network, { scope, level: 3, ...note });
      expect(placed.id).toBe((await guard.place(subject, { scope, level: 3, ...note })).id);
    },
  );

  it('is the only one that needs none', async () => {
    const guard = createGuard({ secret: present });
    const { account: _, ...network } = subject;
    await expect(guard.place(network, { scope: 'K4', level: 3, ...note })).rejects.toThrow(
      /needs a request with an account/,
    );
  });
});

describe('a block on an account', () => {
  it('is refused in a policy that is not about accounts: nobody would ever be stopped by it', async () => {
    const { before: guard } = rotation();
    const call = { ...subject, action: 'api.heavy' };
    for (const scope of scopes) {
      const placing = guard.place(call, { scope, level: 2, ...note });
      if (scope === 'K4' || scope === 'K5') {
        const message = `scope ${scope} is no key of the policy "api", which is not about accounts`;
        await expect(placing).rejects.toMatchObject({ code: 'INPUT_INVALID', message });
      } else {
        const { id } = await placing;
        expect(await guard.check(call)).toMatchObject({ outcome: 'HARD_BLOCK', scope });
        await guard.lift(id, note);
      }
    }
    expect((await guard.audit()).filter(({ block }) => /^api:K[45]:/.test(block))).toEqual([]);
  });
});

describe('a device that was known before a rotation of the secret', () => {
  const own = { ...subject, device: { id: 'd1', confidence: 'HIGH' } } as const;

  it.each([
    ['has not come since', []],
    ['has come since', [own]],
    ['was followed by another one', [{ ...own, device: { id: 'd2', confidence: 'HIGH' } as const }]],
  ])('is forgotten by nodes without the new secret too, where it %s', async (_, since) => {
    const { before, within } = rotation();
    await before.succeed(own);
    for (const request of since) await within.succeed(request);
    expect(await within.forgetDevice(own.account, own.device.id, note)).toBe(true);
    for (const guard of [before, within]) expect((await guard.explain(own)).device).toBe('unknown');
  });

  it('is forgotten, and that is told, where only such nodes know it', async () => {
    const { before, within } = rotation();
    await within.succeed({ ...own, device: { id: 'd2', confidence: 'HIGH' } });
    await before.succeed(own);
    expect(await within.forgetDevice(own.account, own.device.id, note)).toBe(true);
    expect((await before.explain(own)).device).toBe('unknown');
    expect(await within.audit()).toMatchObject([{ what: 'removed' }]);
    expect(await within.forgetDevice(own.account, own.device.id, note)).toBe(false);
  });
});
