import { describe, expect, it } from 'vitest';
import { createGuard } from '../index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';

const secret = 'a secret for tests only';

function scene() {
  let time = 1_000_000;
  const guard = createGuard({ secret, store: createMemoryStore({ clock: () => time }) });
  return { guard, pass: (ms: number) => (time += ms), now: () => time };
}

const subject = {
  action: 'auth.login',
  account: 'a1',
  ip: '203.0.113.7',
  device: { id: 'd1', confidence: 'MEDIUM' },
} as const;

describe('the history of a subject', () => {
  it('tells failures and the block they led to, oldest first, without anybody in clear', async () => {
    const { guard, pass } = scene();
    const times: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      await guard.fail(subject);
      times.push(1_000_000 + turn * 1_000);
      pass(1_000);
    }
    const { history, keys } = await guard.explain(subject);
    expect(history.filter(({ what }) => what === 'failure').map(({ at }) => at)).toEqual(times);
    expect(history).toContainEqual({ at: times[2], scope: 'K4', what: 'hard' });
    expect(history.map(({ at }) => at)).toEqual([...history.map(({ at }) => at)].sort((a, b) => a - b));
    expect(JSON.stringify({ history, keys })).not.toMatch(/a1|203\.0|d1"/);
  });

  it('is empty for a subject that nothing is known of', async () => {
    const { guard } = scene();
    expect((await guard.explain(subject)).history).toEqual([]);
  });

  it('stays bounded, whatever the records remember', async () => {
    const { guard, pass } = scene();
    for (let device = 0; device < 40; device += 1) {
      for (let turn = 0; turn < 3; turn += 1) {
        await guard.fail({ ...subject, device: { id: `d${device}`, confidence: 'MEDIUM' } });
        pass(20 * 60_000);
      }
    }
    const { history } = await guard.explain(subject);
    expect(history.length).toBeGreaterThan(10);
    expect(history.length).toBeLessThanOrEqual(100);
  });
});

describe('the ids of an explanation', () => {
  it('are those that a lift takes', async () => {
    const { guard } = scene();
    for (let turn = 0; turn < 3; turn += 1) await guard.fail(subject);
    const blocked = (await guard.explain(subject)).keys.filter(({ hard }) => hard !== null);
    const listed: string[] = [];
    for await (const { id, outcome } of guard.blocks()) if (outcome === 'HARD_BLOCK') listed.push(id);
    expect(blocked.map(({ id }) => id).sort()).toEqual(listed.sort());
    for (const { id } of blocked) expect(await guard.lift(id, { by: 'test', why: 'test' })).toBe(true);
    expect((await guard.check(subject)).outcome).toBe('ALLOW');
  });

  it('name the entry of a device inside of its account', async () => {
    const { guard } = scene();
    const shown = { ...subject, account: 'b2' };
    await guard.fail(shown);
    const entry = (await guard.explain(shown)).keys.find(({ scope }) => scope === 'K5');
    expect(entry?.id).toMatch(/^login:K5:[\w-]{22}:[\w-]{22}$/);
  });
});
