import { describe, expect, it } from 'vitest';
import { defaultLogin } from '../../core/policy.ts';
import type { Act } from './cast.ts';
import { fingerprintOf } from './fingerprint.ts';
import { beginning, play, type State } from './play.ts';
import { ProofEngine } from './proof-engine.ts';
import { faceless, newcomer, regular } from './scenes.ts';

const engine = new ProofEngine({ policies: [defaultLogin] });

/** Plays acts, each so many milliseconds after the one before. */
function played(steps: readonly (readonly [Act, number])[], from: State = beginning): State {
  return steps.reduce((state, [act, waitMs]) => {
    return play(engine, 'auth.login', state, act, state.t + waitMs).state;
  }, from);
}

describe('fingerprint', () => {
  it('is the same for what differs in date and names only', () => {
    const steps = [
      [newcomer, 0],
      [faceless, 500],
      [newcomer, 9_000],
    ] as const;
    const later = { ...beginning, t: beginning.t + 12_345_678, turn: 400 };
    expect(fingerprintOf(played(steps, later))).toBe(fingerprintOf(played(steps)));
  });

  it('tells apart what may be decided differently', () => {
    const states = [
      played([[newcomer, 0]]),
      played([[faceless, 0]]),
      played([[regular, 0]]),
      played([
        [newcomer, 0],
        [newcomer, 1],
      ]),
      played([
        [newcomer, 0],
        [newcomer, 2],
      ]),
      played([
        [newcomer, 0],
        [newcomer, 600_000],
      ]),
      played([
        [newcomer, 0],
        [newcomer, 599_999],
      ]),
    ];
    expect(new Set(states.map(fingerprintOf)).size).toBe(states.length);
  });
});
