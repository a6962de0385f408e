import { describe, expect, it } from 'vitest';
import { createScenarios } from '../abuse/index.ts';
import { createLimiter } from '../limits/index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import { judgeVisit } from './judge-visit.ts';

const secret = 'a secret of sixteen bytes or more';
const scanner = { ip: '203.0.113.7', ua: 'Mozilla/5.0 zgrab/0.x' };

describe('a visit', () => {
  it('asks how long it may be held only when its caller is slowed down', async () => {
    let now = 1_700_000_000_000;
    const clock = () => now;
    const store = createMemoryStore({ clock });
    const limiter = createLimiter({ store, secret, clock, warn: () => {} });
    const scenarios = createScenarios({ store, secret, clock, limiter });
    let asked = 0;
    const parts = {
      limiter,
      scenarios: () => scenarios,
      onFault: (error: unknown) => expect.unreachable(String(error)),
      heldUntil: () => {
        asked += 1;
        return AbortSignal.abort();
      },
    };
    const visit = { method: 'GET', path: '/', ...scanner };
    expect((await judgeVisit(visit, parts)).allowed).toBe(true);
    expect(asked).toBe(0);
    for (let index = 0; index < 1_000 && (await scenarios.standing(visit)).delayMs === 0; index += 1) {
      now += 100;
      await scenarios.observe({ ...visit, path: `/wp-content/plugins/p-${index}/readme.txt`, status: 404 });
    }
    expect((await judgeVisit(visit, parts)).allowed).toBe(true);
    expect(asked).toBe(1);
    expect(scenarios.counts().delayed).toBe(1);
  });
});
