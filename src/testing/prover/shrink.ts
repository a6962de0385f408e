import type { Guarantee, Surroundings } from './guarantees/guarantee.ts';
import { type Breach, judge } from './judge.ts';
import { beginning, play, type State, stepsOf, type Trail } from './play.ts';

/**
 * Takes away acts one after the other, in ever smaller groups, as long as the same guarantee breaks without them, and
 * gives what is left.
 */
export function shrink(breach: Breach, action: string, around: Surroundings): Breach {
  let best = breach;
  let steps = stepsOf(breach.trail);
  for (let size = steps.length >> 1; size >= 1; ) {
    const found = shorter(steps, size, best.guarantee, action, around);
    if (found === null) {
      size >>= 1;
      continue;
    }
    best = found;
    steps = stepsOf(found.trail);
    size = Math.min(size, steps.length >> 1) || (steps.length > 1 ? 1 : 0);
  }
  return best;
}

function shorter(
  steps: readonly Trail[],
  size: number,
  guarantee: Guarantee,
  action: string,
  around: Surroundings,
): Breach | null {
  for (let from = 0; from + size <= steps.length; from += size) {
    const left = [...steps.slice(0, from), ...steps.slice(from + size)];
    const found = firstBreach(left, [guarantee], action, around);
    if (found !== null) return found;
  }
  return null;
}

/** Plays the steps from the beginning until one of the guarantees breaks. */
export function firstBreach(
  steps: readonly Trail[],
  guarantees: readonly Guarantee[],
  action: string,
  around: Surroundings,
): Breach | null {
  let state: State = beginning;
  for (const { act, t } of steps) {
    const played = play(around.engine, action, state, act, t);
    const breach = judge(played, guarantees, around);
    if (breach !== null) return breach;
    state = played.state;
  }
  return null;
}
