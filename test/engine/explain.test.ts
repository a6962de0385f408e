import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createGuard } from '../../src/index.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { Traffic } from './traffic.ts';
import { courses } from './traffic-scenes/courses.ts';

const eventsPerSeed = 450;
const secret = createHash('sha256').update('explained').digest();

/** The first event of a seed of which an explanation right before it has told something else. */
async function firstDifference(seed: number): Promise<unknown> {
  const traffic = new Traffic(seed);
  let now = 0;
  const store = createMemoryStore({ clock: () => now, sweptBy: () => Number.NEGATIVE_INFINITY });
  const guard = createGuard({ secret, store });
  for (let index = 0; index < eventsPerSeed; index += 1) {
    const event = traffic.next();
    const { op, t, cost, action = 'auth.login', ...signals } = event;
    now = t;
    const request = { action, ...signals };
    const time = { at: t };
    const told = await guard.explain(request, time);
    const checked = await guard.check(request, time);
    const decision =
      op === 'consume' ? await guard.consume(request, cost, time) : await guard[op](request, time);
    const isNext = op === 'consume' ? (cost ?? 1) === 1 : op === 'fail';
    const expected = { now: checked, next: isNext ? decision : told.next.decision };
    const got = { now: told.now, next: told.next.decision };
    if (JSON.stringify(got) !== JSON.stringify(expected)) return { seed, index, event, expected, got };
    traffic.heard({ t, ...decision });
  }
  return undefined;
}

describe('an explanation', () => {
  it.each(courses.map(({ name }, course) => ({ name, course })))(
    'tells what a check gives now, and the next failure or call: $name',
    async ({ course }) => {
      expect(await firstDifference(course)).toBeUndefined();
    },
  );
});
