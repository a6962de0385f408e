import type { PolicyProof, Proof } from '../../testing/prover/prove.ts';
import type { Siege } from '../../testing/prover/worst-cases.ts';

export interface ReportFrame {
  readonly proof: Proof;
  readonly seed: number;
  readonly policyFile: string | undefined;
  readonly out: string | undefined;
}

/** The report for a program: one line. */
export function reportJson({ proof, seed }: ReportFrame): string {
  const { policies, outages, brokenInOutages } = proof;
  return `${JSON.stringify({ seed, policies: policies.map(policyJson), outages, brokenInOutages })}\n`;
}

function policyJson({ policy, action, promised, broken, scenes, walks, worst, isWhole }: PolicyProof) {
  return {
    policy,
    action,
    guarantees: promised,
    broken,
    bounds: { isWhole, scenes, walks },
    worst: worst && {
      guessesADay: worst.guesses.map(({ strategy, guesses, isMore }) => ({
        strategy: strategy.id,
        guesses,
        isMore,
      })),
      guessBound: worst.guessBound,
      denials: worst.sieges.map(siegeJson),
      budgets: worst.budgets.map(({ owner, longestMs, totalMs }) => ({ owner, longestMs, totalMs })),
    },
  };
}

function siegeJson({ ownerLane, owner, besieger, denials }: Siege) {
  const requests = Object.fromEntries(denials.map((denial) => [denial.siege, denial.requests]));
  return { ownerLane, owner, besieger: besieger.id, requests };
}
