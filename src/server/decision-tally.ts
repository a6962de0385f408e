import type { Outcome } from '../core/decision.ts';
import type { Guard } from '../guard/guard.ts';

/** How many decisions were made, by policy and outcome. */
export type DecisionCounts = Readonly<Record<string, Readonly<Record<Outcome, number>>>>;

/** Counts decisions as they are told; bounded by the number of policies. */
export class DecisionTally {
  readonly #counts = new Map<string, Record<Outcome, number>>();

  /** @param allowEventEvery how many ALLOW decisions one told stands for, as the guard has it */
  constructor(guard: Pick<Guard, 'on'>, allowEventEvery: number) {
    guard.on('decision', ({ policy, decision: { outcome, mode } }) => {
      const counts = this.#counts.get(policy) ?? { ALLOW: 0, SOFT_BLOCK: 0, HARD_BLOCK: 0 };
      counts[outcome] += outcome === 'ALLOW' && mode === 'NORMAL' ? allowEventEvery : 1;
      this.#counts.set(policy, counts);
    });
  }

  counts(): DecisionCounts {
    return Object.fromEntries([...this.#counts].map(([policy, counts]) => [policy, { ...counts }]));
  }
}
