import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { defaultPolicies } from '../../src/core/policy.ts';
import { Engine } from '../../src/guard/engine.ts';
import { runImmediately } from '../../src/guard/run.ts';
import { createIdentifier, type Signals } from '../../src/identity/identifier.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import type { TrafficEvent } from './oracle/request.ts';
import { Traffic } from './traffic.ts';
import { courses } from './traffic-scenes/courses.ts';

/** How many seeds each course is tried with. */
const rounds = 5;
const eventsPerSeed = 450;

const [first, second] = ['first', 'second'].map((name) => createHash('sha256').update(name).digest()) as [
  Buffer,
  Buffer,
];
const before = engineWith({ secret: first });
const after = engineWith({ secret: second, previousSecret: first });

function engineWith(secrets: { secret: Buffer; previousSecret?: Buffer }): Engine {
  return new Engine({
    identifier: createIdentifier(secrets),
    policies: defaultPolicies,
    environment: 'rotation',
  });
}

/** A stream of events on a store of its own. */
function stream(): (engine: Engine, event: TrafficEvent) => string {
  let now = 0;
  const { immediate } = createMemoryStore({ clock: () => now, sweptBy: () => Number.NEGATIVE_INFINITY });
  return (engine, { op, t, cost, action = 'auth.login', ...signals }) => {
    now = t;
    const { operation } = engine.prepare(op, { action, ...(signals as Signals) }, cost);
    return JSON.stringify(runImmediately(immediate, operation, t));
  };
}

/** The first event on which a rotation after so many events shows. */
function firstDifference(seed: number, rotateAt: number): unknown {
  const traffic = new Traffic(seed);
  const [steady, rotated] = [stream(), stream()];
  for (let index = 0; index < eventsPerSeed; index += 1) {
    const event = traffic.next();
    const expected = steady(before, event);
    const got = rotated(index < rotateAt ? before : after, event);
    if (got !== expected)
      return { seed, rotateAt, index, event, expected: JSON.parse(expected), got: JSON.parse(got) };
    traffic.heard({ t: event.t, ...JSON.parse(expected) });
  }
  return undefined;
}

/** A rotation changes names and nothing else (§3), so no decision may show when it was. */
const all = courses.map(({ name }, course) => ({ name, course }));

describe('a rotation of the secret in the middle of traffic', () => {
  it.each(all)('changes no decision: $name', ({ course }) => {
    for (let round = 0; round < rounds; round += 1) {
      const seed = course + round * courses.length;
      expect(firstDifference(seed, 20 + ((seed * 37) % 400))).toBeUndefined();
    }
  });

  it('leaves no network out of a block that fell on its prefix, though it moved while the prefix was blocked', () => {
    const [steady, rotated] = [stream(), stream()];
    const sprayed = prefixes.flatMap((prefix, at48) =>
      networks.map((network, at64) => failure(at48 * 4 + at64, `${prefix}:${network}::1`)),
    );
    const moved = { ...failure(0, '2a00:100:1:1::1'), t: 10_000 };
    const firing = { ...failure(20, '2a00:100:1:5::1'), t: 70_000 };
    const asking: TrafficEvent = { ...failure(21, '2a00:100:1:1::1'), op: 'check', t: 71_000 };
    for (const event of sprayed) expect(rotated(before, event)).toBe(steady(before, event));
    for (const event of [moved, firing]) expect(rotated(after, event)).toBe(steady(before, event));
    expect(JSON.parse(steady(before, asking))).toMatchObject({ outcome: 'HARD_BLOCK', scope: 'K1' });
    expect(rotated(after, asking)).toBe(steady(before, asking));
  });
});

/** Five prefixes of a P40 with four networks each, of which none is suspicious for itself. */
const prefixes = [1, 2, 3, 4, 5].map((prefix) => `2a00:100:${prefix}`);
const networks = [1, 2, 3, 4];

function failure(number: number, ip: string): TrafficEvent {
  const device = { id: `d${number}`, confidence: 'MEDIUM' } as const;
  return { op: 'fail', t: number, action: 'auth.login', account: `a${number}`, ip, device };
}
