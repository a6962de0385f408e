import type { Decision, Scope } from '../core/decision.ts';

/** How one key of the subject stands now. */
export interface KeyExplanation {
  readonly scope: Scope;
  /** What a lift of this key takes; holds hashes only. */
  readonly id: string;
  /** Whether a block on this key would stop this request. */
  readonly stops: boolean;
  /** As of its last change; decays only when it is raised again. */
  readonly score: number;
  readonly rememberedLevel: number;
  readonly hard: { readonly level: number; readonly until: number } | null;
  readonly soft: { readonly level: number; readonly until: number } | null;
}

/** The account's failure budget. */
export interface BudgetExplanation {
  readonly active: boolean;
  /** Eligible failures counted towards it. */
  readonly failures: number;
  readonly threshold: number;
  readonly epochEnds: number | null;
  readonly soft: { readonly level: number; readonly until: number } | null;
}

/** Something that the subject's records remember. A sighting is one entry of a correlation's window. */
export interface Moment {
  readonly at: number;
  readonly scope: Scope;
  readonly what: 'failure' | 'sighting' | 'rotation' | 'soft' | 'hard';
}

/** The present state of a subject before one policy. */
export interface Explanation {
  readonly at: number;
  readonly policy: string;
  readonly device: 'missing' | 'unknown' | 'known' | 'trusted';
  /** False when the network has shown too many new devices lately, and where there is no device (§6). */
  readonly admitted: boolean;
  readonly keys: readonly KeyExplanation[];
  readonly budget: BudgetExplanation | null;
  /** What led here, oldest first, as far as the records remember: bounded, without anybody's name. */
  readonly history: readonly Moment[];
  /**
   * What the records give now. In any `mode` but NORMAL the policy does not decide by them on this node; the first of
   * the `words` says who does.
   */
  readonly now: Decision;
  /** What the next failure (or, for a rate policy, the next call) would give. */
  readonly next: { readonly op: 'fail' | 'consume'; readonly decision: Decision };
  /** The same in words, a line each. */
  readonly words: readonly string[];
}
