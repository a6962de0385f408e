import { expect, it } from 'vitest';
import { targetsOf } from './targets.ts';

const target = (name: string, fields: object = {}) => ({
  target: name,
  breaker: 'closed',
  probeInMs: 0,
  pinnedForMs: 0,
  calls: 1,
  attempts: 1,
  retries: 0,
  failures: 0,
  denied: {},
  ...fields,
});

it('puts what several clients say of one target side by side', () => {
  const { targets } = targetsOf({
    reporters: [
      { name: 'orders-2', ageMs: 400, targets: [target('stock@1'), target('mail@2')] },
      {
        name: 'orders-1',
        ageMs: 300,
        targets: [
          target('stock@1', {
            breaker: 'open',
            probeInMs: 1_000,
            pinnedForMs: 200,
            denied: { 'target-breaker': 3 },
          }),
        ],
      },
    ],
  });
  expect(targets.map((row) => [row.target, row.reporter])).toEqual([
    ['mail@2', 'orders-2'],
    ['stock@1', 'orders-1'],
    ['stock@1', 'orders-2'],
  ]);
  expect(targets[1]).toMatchObject({
    breaker: 'open',
    probeInMs: 700,
    isPinned: false,
    denied: [['target-breaker', 3]],
  });
});

it('shows loops by request, the newest first, and why a breaker is open', () => {
  const { reporters } = targetsOf({
    reporters: [
      {
        name: 'orders-1',
        ageMs: 300,
        globalBreaker: 'open',
        globalCause: 'saturation',
        loops: 2,
        recentLoops: [
          { requestId: 'r-1', hops: ['a@1', 'b@1', 'a@1'], agoMs: 900 },
          { requestId: 'r-2', hops: ['b@1', 'b@1'], agoMs: 0 },
        ],
      },
      { name: 'orders-2', globalBreaker: 'closed', globalCause: null },
    ],
  });
  expect(reporters[0]).toMatchObject({
    globalCause: 'saturation',
    recentLoops: [
      { requestId: 'r-2', way: 'b@1 → b@1', agoMs: 300 },
      { requestId: 'r-1', way: 'a@1 → b@1 → a@1', agoMs: 1_200 },
    ],
  });
  expect(reporters[1]).toMatchObject({ globalCause: null, recentLoops: [] });
});

it('survives a service that says something else', () => {
  for (const answer of [null, 7, {}, { reporters: [7, { targets: [null, {}] }] }]) {
    for (const row of targetsOf(answer).targets) expect(row.target).toBe('?');
  }
});
