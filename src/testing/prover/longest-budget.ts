import { DAY_MS } from '../../core/duration.ts';
import { durationOf } from '../../core/ladder.ts';
import type { CredentialPolicy } from '../../core/policy.ts';
import { accountKind, victimIn } from './account-kind.ts';
import { boundariesOf } from './boundaries.ts';
import { type OwnerKind, ownerSignals } from './cast.ts';
import { climb } from './layered-beam.ts';
import { paceOf, waysOf } from './pace.ts';
import { play, type State, type Trail } from './play.ts';
import type { ProofEngine, RecordMap } from './proof-engine.ts';
import { faceless, newcomer, settledIn } from './scenes.ts';

export interface BudgetSearch {
  readonly engine: ProofEngine;
  readonly policy: CredentialPolicy;
  readonly action: string;
  readonly owner: OwnerKind;
  readonly width: number;
  readonly isOver: () => boolean;
}

/** How long a budget was found to stand before the owner. */
export interface BudgetHold {
  /** In a row. */
  readonly longestMs: number;
  /** In all, from the first failure until a day after it. */
  readonly totalMs: number;
  readonly trail: Trail | null;
}

const besieging = [newcomer, faceless];

interface Held extends Omit<BudgetHold, 'trail'> {
  readonly state: State;
}

/**
 * How long an owner with the right credentials meets nothing but a budget at `check`. A host that honours `deferred` lets
 * them in all the same, so this counts for one that ignores it.
 */
export function longestBudget(search: BudgetSearch): BudgetHold {
  const { engine, policy, action, width, isOver } = search;
  const start = settledIn(engine, action);
  const endMs = start.t + DAY_MS;
  let most: Held = { state: start, longestMs: 0, totalMs: 0 };
  const layers = climb<Held>({
    start: most,
    width,
    isOver,
    bucketOf: ({ state }) =>
      `${accountKind(state, policy)} ${victimIn(state.records)?.budget.failures.length}`,
    rank: (held) => lostMs(held, policy),
    *expand(from) {
      for (const t of [from.state.t, ...boundariesOf(from.state.records, from.state.t, policy)]) {
        if (t >= endMs) break;
        for (const act of besieging) {
          const { verified, state } = play(engine, action, from.state, act, t);
          if (verified === 0) continue;
          const heldMs = heldFor(search, from.state.records, state.records, t);
          const longestMs = Math.max(from.longestMs, heldMs);
          yield { to: { state, longestMs, totalMs: from.totalMs + heldMs }, up: 1 };
        }
      }
    },
  });
  for (const { layer, candidates } of layers) {
    if (layer > MOST_FAILURES) break;
    for (const candidate of candidates) if (candidate.totalMs > most.totalMs) most = candidate;
  }
  return { longestMs: most.longestMs, totalMs: most.totalMs, trail: most.state.trail };
}

/** Where failures lead to nothing there is no end of them. */
const MOST_FAILURES = 300;

/** Time that brought the owner no budget: before it is active, and beyond its cooldown. */
function lostMs({ state, totalMs }: Held, policy: CredentialPolicy): number {
  const { budget, ladder } = policy;
  const isActive = (victimIn(state.records)?.budget.epochStart ?? null) !== null;
  const spentMs = isActive ? state.t : paceOf(state, policy, waysOf(besieging));
  return spentMs - (totalMs * budget.cooldownMs) / durationOf(budget.level, ladder);
}

/** For how long this failure has made the budget, and it alone, stand before the owner; 0 if it stood there already. */
function heldFor({ engine, action, owner }: BudgetSearch, was: RecordMap, is: RecordMap, t: number): number {
  const before = victimIn(was)?.budget.softUntil;
  if (victimIn(is)?.budget.softUntil === before) return 0;
  const { decision } = engine.perform(is, 'check', { ...ownerSignals(owner), action }, t);
  return decision.deferred ? decision.until - t : 0;
}
