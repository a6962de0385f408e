import { HOUR_MS } from '../../core/duration.ts';
import type { CredentialPolicy } from '../../core/policy.ts';
import { type OwnerKind, ownerKinds } from './cast.ts';
import { type Besieger, besiegers, cheapestDenials, type Denial } from './cheapest-denial.ts';
import type { Effort } from './effort.ts';
import { failure, type Promised } from './guarantees/guarantee.ts';
import { guessBound } from './guess-bound.ts';
import { type BudgetHold, longestBudget } from './longest-budget.ts';
import { type MostGuesses, mostGuesses } from './most-guesses.ts';
import type { Trail } from './play.ts';
import { ProofEngine, type RunOperation } from './proof-engine.ts';
import { strategies } from './strategies.ts';

export interface WorstCaseSearch {
  readonly policy: CredentialPolicy;
  readonly action: string;
  readonly effort: Effort;
  readonly run?: RunOperation | undefined;
  readonly isOver: () => boolean;
  readonly onPart: (part: string) => void;
}

/** What it takes to keep an owner out. */
export interface Siege {
  readonly ownerLane: boolean;
  readonly owner: OwnerKind;
  readonly besieger: Besieger;
  readonly denials: readonly Denial[];
}

/** The worst that was found, each with the trail that leads there. */
export interface WorstCases {
  readonly guesses: readonly MostGuesses[];
  /** What no strategy without a device of the owner's exceeds; null where no such argument holds. */
  readonly guessBound: number | null;
  readonly sieges: readonly Siege[];
  readonly budgets: readonly (BudgetHold & { readonly owner: OwnerKind })[];
}

export function findWorstCases(search: WorstCaseSearch): WorstCases {
  const { policy, action, effort, run, isOver, onPart } = search;
  const { width } = effort;
  const engine = new ProofEngine({ policies: [policy], run });
  onPart('most guesses');
  const guesses = strategies.map((strategy) =>
    mostGuesses(strategy, { engine, policy, action, width, isOver }),
  );
  onPart('cheapest denial');
  const sieges = findSieges(search);
  onPart('longest budget');
  const budgets = ownerKinds.map((owner) => ({
    owner,
    ...longestBudget({ engine, policy, action, owner, width, isOver }),
  }));
  return { guesses, guessBound: guessBound(policy), sieges, budgets };
}

/** With the owner lane as it is, and the other way; that makes a difference to trusted devices only. */
function findSieges({ policy, action, effort, run, isOver }: WorstCaseSearch): readonly Siege[] {
  const { width, maxRequests } = effort;
  const siegesOf = (ownerLane: boolean, owners: readonly OwnerKind[]) => {
    const changed = { ...policy, ownerLane };
    const engine = new ProofEngine({ policies: [changed], run });
    const search = { engine, policy: changed, action, width, maxRequests, isOver };
    return besiegers.flatMap((besieger) =>
      owners.map((owner) => {
        const denials = cheapestDenials({ ...search, owner, besieger });
        return { ownerLane, owner, besieger, denials };
      }),
    );
  };
  return [...siegesOf(policy.ownerLane, ownerKinds), ...siegesOf(!policy.ownerLane, ['trusted'])];
}

const MOST_GUESSES_AN_HOUR = 60;

/** A promise that no single operation breaks, but too many of them. */
export const guessesAreBounded = {
  id: 'guesses-are-bounded',
  says: `No stranger, whatever addresses and devices they have, gets more than ${MOST_GUESSES_AN_HOUR} guesses an hour on one account.`,
  promised: [failure('Authentication is never silently unprotected')] satisfies readonly Promised[],
} as const;

/** The trail of a stranger who gets too many guesses within an hour; null if none was found. */
export function findUnboundedGuesses({
  policy,
  action,
  run,
  isOver,
}: WorstCaseSearch): { what: string; trail: Trail } | null {
  const engine = new ProofEngine({ policies: [policy], run });
  for (const strategy of strategies) {
    if (strategy.id === 'known-device') continue;
    const enough = MOST_GUESSES_AN_HOUR + 1;
    const search = { engine, policy, action, width: 4, withinMs: HOUR_MS, enough, isOver };
    const { guesses, trail } = mostGuesses(strategy, search);
    if (guesses >= enough && trail !== null)
      return { what: `${strategy.says}: ${guesses} guesses within an hour`, trail };
  }
  return null;
}
