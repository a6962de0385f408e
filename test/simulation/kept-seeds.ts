import { type Cut, noCut } from '../../src/testing/index.ts';

/** A world that once showed something, kept so that it is asked again for ever. */
export interface KeptSeed {
  readonly seed: number;
  readonly cut: Cut;
  /** What it shows. */
  readonly why: string;
}

/**
 * `npm run simulate` shrinks a failing seed and prints the command that runs it again; seed and cut of that command
 * belong here once the fault is mended. A seed is kept without a cut where the whole world matters.
 */
export const keptSeeds: readonly KeptSeed[] = [
  { seed: 22, cut: noCut, why: 'an operation long after a breaker has closed, when its last probe is old' },
];
