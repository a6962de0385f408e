import type { Policy } from '../../core/policy.ts';
import { boundariesOf } from './boundaries.ts';
import type { Act } from './cast.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { Guarantee } from './guarantees/guarantee.ts';
import { type Breach, judge } from './judge.ts';
import { play, type State } from './play.ts';
import type { ProofEngine } from './proof-engine.ts';
import type { Scene } from './scenes.ts';

export interface ExhaustOptions {
  readonly engine: ProofEngine;
  readonly policy: Policy;
  readonly action: string;
  readonly guarantees: readonly Guarantee[];
  /** How many acts in a row at most. */
  readonly depth: number;
  /** Different states at most; the deepest layer is then left unfinished. */
  readonly maxStates: number;
  /** Whether to stop now; asked now and then. */
  readonly isOver: () => boolean;
}

/** What a search has gone through. */
export interface Exhausted {
  readonly scene: string;
  /** Different states. */
  readonly states: number;
  /** Every order of this many acts was tried. */
  readonly completeDepth: number;
  /** From the first act to the last, at the most. */
  readonly spanMs: number;
  readonly breach: Breach | null;
}

/** Tries every act at every time that matters, layer by layer, so that the first breach is a shortest one. */
export function exhaust({ name, acts, changes, start }: Scene, options: ExhaustOptions): Exhausted {
  const search = new LayerSearch(acts, changes, options);
  let layer: readonly State[] = [start];
  let completeDepth = 0;
  while (completeDepth < options.depth && layer.length > 0 && search.breach === null) {
    layer = search.expand(layer);
    if (search.isCut) break;
    completeDepth += 1;
  }
  const { states, breach, latest } = search;
  return { scene: name, states, completeDepth, spanMs: latest - start.t, breach };
}

class LayerSearch {
  readonly #acts: readonly Act[];
  readonly #changes: number;
  readonly #options: ExhaustOptions;
  readonly #seen = new Set<number>();
  breach: Breach | null = null;
  /** Whether a bound was met before a layer was done. */
  isCut = false;
  latest = 0;

  constructor(acts: readonly Act[], changes: number, options: ExhaustOptions) {
    this.#acts = acts;
    this.#changes = changes;
    this.#options = options;
  }

  get states(): number {
    return this.#seen.size;
  }

  expand(layer: readonly State[]): State[] {
    const next: State[] = [];
    for (const state of layer) {
      this.#expandOne(state, next);
      if (this.breach !== null) return next;
      this.isCut = this.states >= this.#options.maxStates || this.#options.isOver();
      if (this.isCut) return next;
    }
    return next;
  }

  #expandOne(state: State, next: State[]): void {
    for (const t of timesWorthTrying(state, this.#options.policy, this.#changes)) {
      for (const act of this.#acts) {
        const after = this.#try(state, act, t);
        if (this.breach !== null) return;
        if (after !== null) next.push(after);
      }
    }
  }

  /** The state that the act leads to; null if it changes nothing, or leads where the search has been. */
  #try(state: State, act: Act, t: number): State | null {
    const { engine, policy, action, guarantees } = this.#options;
    const played = play(engine, action, state, act, t);
    this.breach = judge(played, guarantees, { engine, policy });
    if (played.operated.every(({ before, after }) => before === after)) return null;
    const fingerprint = fingerprintOf(played.state);
    if (this.#seen.has(fingerprint)) return null;
    this.#seen.add(fingerprint);
    this.latest = Math.max(this.latest, t);
    return played.state;
  }
}

/** At once; when something changes next, and the millisecond before; the changes after that; the last one of all. */
function timesWorthTrying({ records, t }: State, policy: Policy, changes: number): Set<number> {
  const boundaries = boundariesOf(records, t, policy);
  const [first = t] = boundaries;
  const last = boundaries.at(-1) ?? t;
  return new Set([t, Math.max(t, first - 1), ...boundaries.slice(0, changes), last]);
}
