import type { Guarantee, Surroundings } from './guarantees/guarantee.ts';
import type { Played, Trail } from './play.ts';

/** A guarantee that does not hold, and what leads there. */
export interface Breach {
  readonly guarantee: Guarantee;
  readonly what: string;
  readonly trail: Trail;
}

/** Holds what was played to every guarantee; gives the first breach. */
export function judge(
  { operated, state }: Played,
  guarantees: readonly Guarantee[],
  around: Surroundings,
): Breach | null {
  if (state.trail === null) return null;
  for (const one of operated) {
    for (const guarantee of guarantees) {
      const what = guarantee.breach(one, around);
      if (what !== null) return { guarantee, what, trail: state.trail };
    }
  }
  return null;
}
