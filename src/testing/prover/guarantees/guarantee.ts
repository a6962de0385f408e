import type { Policy } from '../../../core/policy.ts';
import type { Operated, ProofEngine } from '../proof-engine.ts';

/** A sentence that the project's texts promise. */
export interface Promised {
  readonly by: 'decision matrix §10' | 'failure semantics §8';
  readonly sentence: string;
}

/** Who looks, and under which policy. */
export interface Surroundings {
  readonly engine: ProofEngine;
  readonly policy: Policy;
}

/** What is promised, as a predicate over every operation. */
export interface Guarantee {
  readonly id: string;
  /** What is checked, in a sentence. */
  readonly says: string;
  readonly promised: readonly Promised[];
  /** Whether it is about wrong and right credentials, or about policies over calls too. */
  readonly concerns: 'credentials' | 'every policy';
  /** How it is broken by this operation; null if it holds. */
  breach(operated: Operated, around: Surroundings): string | null;
}

export const matrix = (sentence: string): Promised => ({ by: 'decision matrix §10', sentence });
export const failure = (sentence: string): Promised => ({ by: 'failure semantics §8', sentence });
