import { HOUR_MS } from '../../core/duration.ts';
import type { CredentialPolicy } from '../../core/policy.ts';
import { remembered } from '../../core/standing.ts';
import type { AccountRecord } from '../../core/state.ts';
import type { Random } from '../random.ts';
import { boundariesOf, kindOf } from './boundaries.ts';
import type { Act } from './cast.ts';
import type { Guarantee } from './guarantees/guarantee.ts';
import { type Breach, judge } from './judge.ts';
import { type Played, play, type State } from './play.ts';
import type { ProofEngine } from './proof-engine.ts';

export interface WanderOptions {
  readonly engine: ProofEngine;
  readonly policy: CredentialPolicy;
  readonly action: string;
  readonly guarantees: readonly Guarantee[];
  readonly acts: readonly [Act, ...Act[]];
  readonly starts: readonly [State, ...State[]];
  readonly random: Random;
  /** How many walks. */
  readonly walks: number;
  readonly isOver: () => boolean;
}

export interface Wandered {
  readonly walks: number;
  readonly acts: number;
  /** Acts in a row, at the most. */
  readonly depth: number;
  readonly spanMs: number;
  /** Kinds of states and decisions that were met. */
  readonly sights: number;
  readonly breach: Breach | null;
}

/** How far a walk goes on from where it begins. */
const LONGEST_WALK = 24;
const MOST_KEPT = 4_096;

/**
 * Walks at random, from where something new was seen last time on: whatever shows a decision or a standing of a kind
 * that no walk has met is kept, and later walks begin there. So the search gets to depths that trying everything
 * never reaches. The same seed walks the same way.
 */
export function wander(options: WanderOptions): Wandered {
  const { starts, walks, random, isOver, action, engine, guarantees, policy } = options;
  const kept: [State, ...State[]] = [...starts];
  const met = new Set<string>();
  const depths = new Map<State, number>();
  let deepest = 0;
  let spanMs = 0;
  let acts = 0;
  for (let walk = 0; walk < walks; walk += 1) {
    if (isOver()) return { walks: walk, acts, depth: deepest, spanMs, sights: met.size, breach: null };
    let state = random.chance(0.5) ? random.pick(kept) : (kept.at(-1 - random.between(0, 15)) ?? kept[0]);
    let depth = depths.get(state) ?? 0;
    const length = random.between(1, LONGEST_WALK);
    for (let step = 0; step < length; step += 1) {
      const played = play(engine, action, state, random.pick(options.acts), pickTime(state, policy, random));
      acts += 1;
      depth += 1;
      const breach = judge(played, guarantees, { engine, policy });
      state = played.state;
      deepest = Math.max(deepest, depth);
      spanMs = Math.max(spanMs, state.t - starts[0].t);
      if (breach !== null) return { walks: walk + 1, acts, depth: deepest, spanMs, sights: met.size, breach };
      if (isNew(sightsOf(played, policy), met) && kept.length < MOST_KEPT) {
        kept.push(state);
        depths.set(state, depth);
      }
    }
  }
  return { walks, acts, depth: deepest, spanMs, sights: met.size, breach: null };
}

/** Mostly at a time that matters, or right before or after it. */
function pickTime({ records, t }: State, policy: CredentialPolicy, random: Random): number {
  if (random.chance(0.35)) return t + random.between(0, 1);
  const [first, ...others] = boundariesOf(records, t, policy);
  if (first === undefined) return t + random.between(1, HOUR_MS);
  const boundary = random.chance(0.5) ? first : random.pick([first, ...others]);
  return Math.max(t, boundary + random.between(-1, 1));
}

function isNew(sights: readonly string[], met: Set<string>): boolean {
  const before = met.size;
  for (const sight of sights) met.add(sight);
  return met.size > before;
}

/** What is worth remembering: the kinds of reasons, and how the account stands. */
function sightsOf({ operated, state }: Played, policy: CredentialPolicy): string[] {
  const sights = operated.flatMap(({ op, decision }) => [
    `${op} ${decision.outcome} ${decision.deferred}`,
    ...decision.reasons.map(({ rule, scope, level }) => `${op} ${rule} ${scope} ${level}`),
  ]);
  for (const [text, record] of state.records)
    if (kindOf(text) === 'K4') sights.push(standingSight(record as AccountRecord, state.t, policy));
  return sights;
}

function standingSight(
  { standing, budget, softs, rotations, devices }: AccountRecord,
  now: number,
  { ladder }: CredentialPolicy,
): string {
  const level = remembered(standing, now, ladder);
  const counted = budget.epochStart === null ? budget.failures.length : 'active';
  return `K4 ${Math.min(standing.score, 15)} ${level} ${counted} ${softs.length} ${rotations.length} ${devices.length >> 2}`;
}
