import { type Cut, cutScenario, noCut } from './cut.ts';
import { makeScenario } from './make-scenario.ts';
import { type SimulationOptions, simulate, type Violation } from './simulate.ts';

/** A failing world with everything taken away that the failure does not need. */
export interface Shrunk {
  readonly cut: Cut;
  readonly violation: Violation;
}

/**
 * Leaves out actors, troubles, nodes and moves one after the other, as long as the same guarantee is broken without
 * them, until nothing more can go.
 */
export async function shrink(
  seed: number,
  violation: Violation,
  options: SimulationOptions = {},
): Promise<Shrunk> {
  const scenario = makeScenario(seed);
  const broken = async (cut: Cut): Promise<Violation | null> => {
    const { violation: found } = await simulate(cutScenario(scenario, cut), options);
    return found?.guarantee === violation.guarantee ? found : null;
  };
  let best: Shrunk = { cut: noCut, violation };
  for (let hasShrunk = true; hasShrunk; ) {
    hasShrunk = false;
    for (const cut of smaller(
      best.cut,
      scenario.actors.length,
      scenario.troubles.length,
      scenario.nodes.length,
    )) {
      const found = await broken(cut);
      if (found === null) continue;
      best = { cut, violation: found };
      hasShrunk = true;
      break;
    }
  }
  return best;
}

const MOST_MOVES = 128;

/** One step smaller, the boldest first. */
function* smaller(cut: Cut, actors: number, troubles: number, nodes: number): Generator<Cut> {
  for (let index = 0; index < actors; index += 1) {
    if (!cut.actors.includes(index)) yield { ...cut, actors: [...cut.actors, index] };
  }
  for (let index = 0; index < troubles; index += 1) {
    if (!cut.troubles.includes(index)) yield { ...cut, troubles: [...cut.troubles, index] };
  }
  const left = cut.nodes ?? nodes;
  if (left > 1) yield { ...cut, nodes: left - 1 };
  const moves = cut.moves ?? MOST_MOVES;
  if (moves > 1) yield { ...cut, moves: Math.floor(moves / 2) };
  if (moves > 2 && cut.moves !== null) yield { ...cut, moves: moves - 1 };
}
