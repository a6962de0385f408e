import { DAY_MS } from '../../core/duration.ts';
import type { CredentialPolicy } from '../../core/policy.ts';
import { accountKind, victimIn } from './account-kind.ts';
import { boundariesOf } from './boundaries.ts';
import { climb } from './layered-beam.ts';
import { paceOf, waysOf } from './pace.ts';
import { play, type State, type Trail } from './play.ts';
import type { ProofEngine } from './proof-engine.ts';
import { settledIn } from './scenes.ts';
import type { Strategy } from './strategies.ts';

export interface MostGuesses {
  readonly strategy: Strategy;
  /** Wrong credentials that were looked at within the time. */
  readonly guesses: number;
  /** Whether the search stopped there, because that is enough or time was up, and there may be more. */
  readonly isMore: boolean;
  readonly trail: Trail | null;
}

export interface GuessSearch {
  readonly engine: ProofEngine;
  readonly policy: CredentialPolicy;
  readonly action: string;
  readonly width: number;
  /** Within this time. Default a day. */
  readonly withinMs?: number;
  /** A search that has found this many does not go on. Default 500, more than a policy that protects gives. */
  readonly enough?: number;
  readonly isOver: () => boolean;
}

/** The most guesses on one account that a strategy was found to get, by a patient guesser or an impatient one. */
export function mostGuesses(strategy: Strategy, search: GuessSearch): MostGuesses {
  const ways = waysOf(strategy.acts);
  const patient = climbWith(strategy, search, (state) => paceOf(state, search.policy, ways));
  const impatient = climbWith(strategy, { ...search, width: Math.ceil(search.width / 4) }, freeAt);
  const most = impatient.guesses > patient.guesses ? impatient : patient;
  return { ...most, isMore: patient.isMore || impatient.isMore };
}

/** When the account is open again, whatever it holds against the guesser. */
function freeAt({ records, t }: State): number {
  return Math.max(t, victimIn(records)?.standing.hardUntil ?? t);
}

function climbWith(
  strategy: Strategy,
  { engine, policy, action, width, withinMs = DAY_MS, enough = ENOUGH, isOver }: GuessSearch,
  rank: (state: State) => number,
): MostGuesses {
  const start = settledIn(engine, action);
  const patienceMs =
    2 * Math.max(policy.score.missingDeviceAgainMs, policy.score.newDevice * policy.score.decayMs.account);
  let most: MostGuesses = { strategy, guesses: 0, isMore: false, trail: null };
  const layers = climb<State>({
    start,
    width,
    isOver,
    rank,
    bucketOf: (state) => accountKind(state, policy),
    *expand(state) {
      for (const t of [state.t, ...boundariesOf(state.records, state.t, policy)]) {
        // Nobody gains by waiting for longer than it takes to be able to guess again in every way.
        if (t >= start.t + withinMs || t > freeAt(state) + patienceMs) break;
        for (const act of strategy.acts) {
          const played = play(engine, action, state, act, t);
          if (played.verified > 0) yield { to: played.state, up: played.verified };
        }
      }
    },
  });
  for (const { layer, candidates } of layers) {
    const [best] = candidates;
    if (best !== undefined) most = { strategy, guesses: layer, isMore: layer >= enough, trail: best.trail };
    if (layer >= enough) break;
  }
  return isOver() ? { ...most, isMore: true } : most;
}

const ENOUGH = 500;
