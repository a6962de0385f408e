import { type Cut, noCut } from '../../src/testing/index.ts';

/** A world that once showed something, kept so that it is asked again for ever. */
export interface KeptSeed {
  readonly seed: number;
  readonly cut: Cut;
  readonly why: string;
  /** What must be seen in it, or it no longer shows what it was kept for. */
  readonly shows: readonly string[];
}

/**
 * `npm run simulate` shrinks a failing seed and prints the command that runs it again; seed and cut of that command
 * belong here once the fault is mended. A seed is kept without a cut where the whole world matters.
 */
export const keptSeeds: readonly KeptSeed[] = [
  {
    seed: 19,
    cut: noCut,
    why: 'a store that flaps until api is shut, and degraded again afterwards',
    shows: ['critical', 'consume HARD_BLOCK FAIL_CLOSED', 'consume ALLOW FAIL_OPEN'],
  },
  {
    seed: 71,
    cut: noCut,
    why: 'a crash in the middle of a guess at codes that the recovery guard meets',
    shows: ['rule guard SOFT_BLOCK', 'breaker tripped'],
  },
  {
    seed: 132,
    cut: noCut,
    why: 'a failover to a replica whose clock is a minute behind, while a budget runs',
    shows: ['rule budget SOFT_BLOCK'],
  },
  {
    seed: 364,
    cut: noCut,
    why: 'three rotations of devices within a day',
    shows: ['rule rotation.repeat HARD_BLOCK'],
  },
  {
    seed: 7356,
    cut: noCut,
    why: 'a device at many networks, and a server that loses everything',
    shows: ['rule dilution HARD_BLOCK'],
  },
  {
    seed: 1010,
    cut: noCut,
    why: 'a node that stands still, and a success that comes too late for the caps',
    shows: ['breaker tripped', 'breaker closed', 'succeed HARD_BLOCK DEGRADED'],
  },
  {
    seed: 4494,
    cut: noCut,
    why: 'an attempt that begins at one address of a /64 and ends at another, under the caps',
    shows: ['fail ALLOW DEGRADED'],
  },
  {
    seed: 8088,
    cut: noCut,
    why: 'a doubled step whose second copy meets a full server after the first was answered',
    shows: ['breaker tripped'],
  },
  {
    seed: 14934,
    cut: noCut,
    why: 'a record lost between the look that admitted its device and the step that made it again, at a full network',
    shows: ['check HARD_BLOCK NORMAL'],
  },
  {
    seed: 87354,
    cut: { ...noCut, actors: [2] },
    why: 'an attempt that begins in the last milliseconds of the world and was called unanswered',
    shows: ['check HARD_BLOCK FAIL_CLOSED', 'consume ALLOW FAIL_OPEN'],
  },
];
