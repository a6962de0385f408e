import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultLogin } from '../../core/policy.ts';
import { boundariesOf } from './boundaries.ts';
import { owner } from './cast.ts';
import { beginning, play, type State } from './play.ts';
import { ProofEngine } from './proof-engine.ts';
import { everyAct, faceless, newcomer, regular } from './scenes.ts';

const engine = new ProofEngine({ policies: [defaultLogin] });
const action = 'auth.login';

/** How whoever may come next would fare at a time: their check, and what a failure would give. */
function prospects({ records, turn }: State, t: number): string {
  return [newcomer, faceless, regular, owner('known', 'guess')]
    .flatMap((act) =>
      (['check', 'fail'] as const).map((op) => {
        const { decision } = engine.perform(records, op, { ...act.signals(turn), action }, t);
        return decision.reasons.map(
          ({ rule, scope, outcome, level }) => `${rule} ${scope} ${outcome} ${level}`,
        );
      }),
    )
    .join('; ');
}

describe('boundaries', () => {
  it('miss no moment within six hours at which a decision on the same records changes', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom(...everyAct), fc.integer({ min: 0, max: 900_000 })), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        steps,
        fc.array(fc.integer({ min: 0, max: 6 * 3_600_000 }), { minLength: 4, maxLength: 12 }),
        (list, waits) => {
          let state = beginning;
          for (const [act, waitMs] of list) state = play(engine, action, state, act, state.t + waitMs).state;
          const boundaries = boundariesOf(state.records, state.t, defaultLogin);
          const times = waits.map((waitMs) => state.t + waitMs).sort((a, b) => a - b);
          times.slice(1).forEach((to, index) => {
            const from = times[index] ?? to;
            if (boundaries.some((boundary) => boundary > from && boundary <= to)) return;
            expect(prospects(state, to)).toBe(prospects(state, from));
          });
        },
      ),
      { numRuns: 150 },
    );
  });
});
