import fc from 'fast-check';
import { expect, it } from 'vitest';
import { aggregate, allow, type Reason, rules, scopes } from '../../core/decision.ts';
import { decisionLine } from './decision-line.ts';
import { DecisionWriter } from './decision-writer.ts';

const reason: fc.Arbitrary<Reason> = fc.record({
  rule: fc.constantFrom(...rules),
  scope: fc.constantFrom(...scopes),
  outcome: fc.constantFrom('SOFT_BLOCK', 'HARD_BLOCK'),
  level: fc.integer({ min: 1, max: 6 }),
  until: fc.integer({ min: 0, max: 8_640_000_000_000_000 }),
});

const decision = fc.oneof(
  fc.array(reason, { maxLength: 40 }).map((reasons) => aggregate(reasons, 7)),
  fc.array(reason, { maxLength: 3 }).map((reasons) => ({ ...aggregate(reasons, 7), deferred: true })),
  fc.constantFrom(allow(), allow('FAIL_OPEN')),
);

it('writes the lines that decisionLine makes', () => {
  const events = fc.array(fc.tuple(fc.maxSafeNat(), decision), { maxLength: 30 });
  const writer = new DecisionWriter();
  fc.assert(
    fc.property(events, (list) => {
      for (const [t, decided] of list) writer.add(t, decided);
      const expected = list.map(([t, decided]) => `${decisionLine(t, decided)}\n`).join('');
      expect(new TextDecoder().decode(writer.take())).toBe(expected);
      expect(writer.isEmpty).toBe(true);
    }),
  );
});

it('writes numbers of any length', () => {
  const writer = new DecisionWriter();
  const edges = Array.from({ length: 16 }, (_, digits) => 10 ** digits).flatMap((edge) => [edge - 1, edge]);
  for (const t of edges) writer.add(t, allow());
  const lines = new TextDecoder().decode(writer.take()).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).t)).toEqual(edges);
  expect(lines).toEqual(edges.map((t) => decisionLine(t, allow())));
});

it('grows for more lines than it has room for', () => {
  const writer = new DecisionWriter();
  for (let t = 0; t < 10_000; t += 1) writer.add(t, allow());
  const lines = new TextDecoder().decode(writer.take()).trimEnd().split('\n');
  expect(lines).toHaveLength(10_000);
  expect(lines.at(-1)).toBe(decisionLine(9999, allow()));
});
