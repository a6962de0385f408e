import { describe, expect, it, vi } from 'vitest';
import type { Scenario } from '../../src/abuse/index.ts';
import type { SetStage, Stage } from './adapter-conformance.ts';

/** Observation comes after the answer: it is waited for. */
const soon = { timeout: 5_000, interval: 10 };
const minute = 60_000;

const missing: Scenario = {
  name: 'missing-pages',
  filter: { status: ['404'] },
  key: 'client',
  distinct: [{ of: 'path', atLeast: 4, windowMs: minute }],
};
const atOnce = { response: { degrade: false } } as const;

const read: Scenario = {
  name: 'reading',
  key: 'client',
  filter: { status: ['200'] },
  bucket: { capacity: 1, leakPerMinute: 1 },
};

function observed(stage: Stage, count: number): Promise<void> {
  return vi.waitFor(() => expect(stage.scenarios.counts().observed).toBe(count), soon);
}

async function walk(stage: Stage, name: string, count: number): Promise<void> {
  const before = stage.scenarios.counts().observed;
  for (let index = 0; index < count; index += 1) {
    await stage.ask(`/status/404/${name}${index}`);
    await observed(stage, before + index + 1);
  }
}

export function testScenarios(setStage: SetStage): void {
  describe('scenarios', () => {
    it('slow a client down first, and tell it nothing', async () => {
      const stage = await setStage({ scenarios: { scenarios: [missing] } });
      const before = await stage.ask('/status/404/a0');
      await observed(stage, 1);
      await walk(stage, 'b', 3);
      expect(stage.scenarios.counts().scenarios['missing-pages']).toMatchObject({ degraded: 1, blocked: 0 });
      expect(stage.delays).toEqual([]);
      const degraded = await stage.ask('/status/404/a0');
      expect(stage.delays).toEqual([500]);
      expect([degraded.status, degraded.body]).toEqual([before.status, before.body]);
      expect(Object.keys(degraded.headers)).toEqual(Object.keys(before.headers));
      expect(degraded.headers['ratelimit-policy']).toBe(before.headers['ratelimit-policy']);
      expect(degraded.headers.ratelimit).toBe('"default";r=15;t=1');
      const other = await stage.ask('/list', { headers: { 'user-agent': 'Mozilla/5.0 Chrome/99.0' } });
      expect([other.status, stage.delays.length]).toEqual([200, 1]);
    });

    it('hold nothing back for a client that has gone', async () => {
      const held: (() => void)[] = [];
      const after = (_delayMs: number, run: () => void) => {
        held.push(run);
        return () => {};
      };
      const stage = await setStage({ scenarios: { scenarios: [missing], mostDelayed: 1, after } });
      await walk(stage, 'a', 4);
      let leave = () => {};
      const gone = stage.ask('/list', { onOpen: (abort) => (leave = abort) }).catch(() => null);
      await vi.waitFor(() => expect(held).toHaveLength(1), soon);
      leave();
      expect(await gone).toBe(null);
      await observed(stage, 5);
      const next = stage.ask('/list');
      await vi.waitFor(() => expect(held).toHaveLength(2), soon);
      held[1]?.();
      expect((await next).status).toBe(200);
      expect(stage.scenarios.counts()).toMatchObject({ delayed: 2, undelayed: 0 });
    });

    it('have it blocked when it goes on, and judge nothing that is refused then', async () => {
      const stage = await setStage({ scenarios: { scenarios: [missing] } });
      await walk(stage, 'a', 6);
      expect(stage.scenarios.counts().scenarios['missing-pages']).toMatchObject({ degraded: 1, blocked: 1 });
      const { status, headers, body } = await stage.ask('/list');
      expect([status, headers['retry-after']]).toEqual([429, '300']);
      expect(JSON.parse(body)).toMatchObject({ type: expect.stringMatching(/#abnormal-usage-detected$/) });
      expect(await stage.limiter.lift({ ip: '127.0.0.1', ua: 'Chrome/120.0' })).toBe(true);
      expect((await stage.ask('/list')).status).toBe(200);
      await observed(stage, 7);
    });

    it('block nobody for calls that came before their caller was slowed down', async () => {
      const stage = await setStage({ scenarios: { scenarios: [read] } });
      const late = [0, 1, 2].map((index) => stage.ask(`/late/${index}`));
      await vi.waitFor(async () => expect(await stage.remaining()).toBe(17), soon);
      await stage.ask('/list');
      await stage.ask('/list');
      await observed(stage, 2);
      stage.late.answer();
      await Promise.all(late);
      await observed(stage, 5);
      expect(stage.scenarios.counts().scenarios.reading).toMatchObject({ degraded: 1, blocked: 0 });
      await stage.ask('/list');
      await stage.ask('/list');
      await observed(stage, 7);
      expect(stage.scenarios.counts().scenarios.reading).toMatchObject({ degraded: 1, blocked: 1 });
    });

    it('refuse all clients of a key that is more than one of them', async () => {
      const scenario: Scenario = { ...missing, ...atOnce, key: 'network' };
      const stage = await setStage({ scenarios: { scenarios: [scenario] } });
      await walk(stage, 'a', 4);
      const { status, headers } = await stage.ask('/list', { headers: { 'user-agent': 'curl/8' } });
      expect([status, headers['retry-after']]).toEqual([429, '300']);
    });

    it('know users, queries and the order of headers', async () => {
      const only = (name: string, rest: Partial<Scenario>): Scenario => ({
        name,
        key: 'client',
        bucket: { capacity: 1, leakPerMinute: 1 },
        ...rest,
      });
      const stage = await setStage({
        scenarios: {
          shadow: true,
          scenarios: [
            only('users', { key: 'user' }),
            only('queries', { filter: { query: [{ names: ['page'], from: 100 }] } }),
            only('orders', { key: 'headers', filter: { headers: { with: ['x-odd'] } } }),
            only('answers', { filter: { status: ['2xx'] } }),
          ],
        },
      });
      const told = async () => {
        const { scenarios } = stage.scenarios.counts();
        return Object.entries(scenarios).flatMap(([name, { degraded }]) => (degraded > 0 ? [name] : []));
      };
      const ask = async (path: string, headers: Record<string, string>, count: number) => {
        await stage.ask(path, { headers });
        await observed(stage, count);
      };
      await ask('/status/404/a?page=99', { 'x-user': 'u1' }, 1);
      await ask('/status/404/a?page=99', { 'x-odd': '1' }, 2);
      expect(await told()).toEqual([]);
      await ask('/status/404/a', { 'x-user': 'u1' }, 3);
      expect(await told()).toEqual(['users']);
      await ask('/status/404/a', { 'x-odd': '1' }, 4);
      expect(await told()).toEqual(['users', 'orders']);
      await ask('/status/404/a?page=100', {}, 5);
      await ask('/status/404/a?page=101', {}, 6);
      expect(await told()).toEqual(['users', 'queries', 'orders']);
      await ask('/list', {}, 7);
      await ask('/list', {}, 8);
      expect(await told()).toEqual(['users', 'queries', 'orders', 'answers']);
      expect(stage.delays).toEqual([]);
    });

    it('see an answer that a client has heard the beginning of', async () => {
      const stage = await setStage({ scenarios: { scenarios: [read], shadow: true } });
      await stage.ask('/list');
      await observed(stage, 1);
      let leave = () => {};
      const gone = stage.ask('/stream/late', { onOpen: (abort) => (leave = abort) }).catch(() => null);
      await stage.late.started;
      leave();
      expect(await gone).toBe(null);
      await observed(stage, 2);
      expect(stage.scenarios.counts().scenarios.reading).toMatchObject({ degraded: 1 });
      stage.late.answer();
    });

    it('see calls over the limit, and none that are skipped', async () => {
      const refused: Scenario = {
        name: 'refused',
        key: 'client',
        filter: { status: ['429'] },
        bucket: { capacity: 1, leakPerMinute: 1 },
      };
      const stage = await setStage({ scenarios: { scenarios: [refused], shadow: true } });
      await stage.ask('/list', { headers: { 'x-skip': '1' } });
      for (let index = 0; index < 22; index += 1) await stage.ask('/list');
      await observed(stage, 22);
      expect(stage.scenarios.counts().scenarios.refused).toMatchObject({ degraded: 1 });
    });
  });
}
