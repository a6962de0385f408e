import { describe, expect, it } from 'vitest';
import { openReplayStore } from '../../src/cli/engine-options.ts';
import { parseEventLine } from '../../src/cli/replay/event-line.ts';
import { type Decision, type Rule, rules } from '../../src/core/decision.ts';
import { defaultPolicies } from '../../src/core/policy.ts';
import { Engine } from '../../src/guard/engine.ts';
import { runImmediately } from '../../src/guard/run.ts';
import { createIdentifier } from '../../src/identity/identifier.ts';
import type { OracleDecision } from './oracle/oracle.ts';
import { Traffic } from './traffic.ts';
import { courses } from './traffic-scenes/courses.ts';

const blocking = rules.filter((rule) => !['blocked', 'degraded', 'store'].includes(rule));

/** What a policy with these rules in shadow decides on the traffic of one seed. */
function decisionsOf(seed: number, shadow: readonly Rule[] | undefined): Decision[] {
  const policies = defaultPolicies.map((policy) => (shadow === undefined ? policy : { ...policy, shadow }));
  const identifier = createIdentifier({ secret: 'x'.repeat(32) });
  const engine = new Engine({ identifier, policies, environment: 'shadow' });
  const { store, setTime } = openReplayStore();
  const traffic = new Traffic(seed);
  return Array.from({ length: 300 }, () => {
    const event = traffic.next();
    setTime(event.t);
    const { op, cost, ...request } = parseEventLine(JSON.stringify(event));
    const decision = runImmediately(store.immediate, engine.prepare(op, request, cost).operation, event.t);
    traffic.heard(decision as OracleDecision);
    return decision;
  });
}

const seeds = courses.map((_, course) => course);

describe('rules in shadow', () => {
  it('block nobody, and tell what they would have done', () => {
    const told = new Set<Rule>();
    for (const seed of seeds) {
      for (const { outcome, reasons, deferred, shadow = [] } of decisionsOf(seed, blocking)) {
        expect({ outcome, reasons, deferred }).toEqual({ outcome: 'ALLOW', reasons: [], deferred: false });
        for (const { rule } of shadow) told.add(rule);
      }
    }
    expect([...told].sort()).toEqual(expect.arrayContaining(['budget', 'minor', 'score', 'spray']));
  });

  it('are not among the reasons, one by one, while the others still are', () => {
    for (const rule of blocking) {
      const spoken = new Set(
        seeds.flatMap((seed) =>
          decisionsOf(seed, [rule]).flatMap(({ reasons }) => reasons.map((r) => r.rule)),
        ),
      );
      expect(spoken.has(rule)).toBe(false);
      expect(spoken.size).toBeGreaterThan(3);
    }
  });

  it('are told on their own: none of them is, without any', () => {
    for (const seed of seeds) {
      expect(decisionsOf(seed, [])).toEqual(decisionsOf(seed, undefined));
      expect(decisionsOf(seed, undefined).every(({ shadow }) => shadow === undefined)).toBe(true);
    }
  });
});
