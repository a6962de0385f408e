import { type Shrunk, shrink } from './shrink.ts';
import { type SimulationOptions, simulateSeed } from './simulate.ts';

/** A seed whose world breaks a guarantee. */
export interface FailingSeed extends Shrunk {
  readonly seed: number;
}

export interface SearchResult {
  /** How many worlds ran. */
  readonly seeds: number;
  readonly steps: number;
  /** The first that failed, shrunk; null if none did. */
  readonly failing: FailingSeed | null;
  /** How often what was seen, over all worlds. */
  readonly seen: ReadonlyMap<string, number>;
}

export interface SearchOptions extends SimulationOptions {
  readonly from: number;
  readonly count: number;
  /** Called after each world. */
  readonly onProgress?: (seeds: number, steps: number) => void;
}

/** Runs worlds, one seed after the other, until one breaks a guarantee. */
export async function searchSeeds({
  from,
  count,
  onProgress,
  ...options
}: SearchOptions): Promise<SearchResult> {
  const seen = new Map<string, number>();
  let steps = 0;
  for (let seeds = 1; seeds <= count; seeds += 1) {
    const seed = from + seeds - 1;
    const simulation = await simulateSeed(seed, options);
    steps += simulation.steps;
    for (const [what, often] of simulation.seen) seen.set(what, (seen.get(what) ?? 0) + often);
    onProgress?.(seeds, steps);
    if (simulation.violation !== null) {
      const shrunk = await shrink(seed, simulation.violation, options);
      return { seeds, steps, seen, failing: { seed, ...shrunk } };
    }
  }
  return { seeds: count, steps, seen, failing: null };
}
