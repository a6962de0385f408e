import type { Policy } from '../../core/policy.ts';
import { Random } from '../random.ts';
import type { Effort } from './effort.ts';
import { type Exhausted, exhaust } from './exhaust.ts';
import type { Guarantee } from './guarantees/guarantee.ts';
import type { Breach } from './judge.ts';
import { type State, stepsOf } from './play.ts';
import type { ProofEngine } from './proof-engine.ts';
import { callScene, everyAct, type Scene, scenesOf } from './scenes.ts';
import { firstBreach, shrink } from './shrink.ts';
import { type Wandered, wander } from './wander.ts';

export interface BreachSearch {
  readonly engine: ProofEngine;
  readonly policy: Policy;
  readonly action: string;
  readonly guarantees: readonly Guarantee[];
  readonly effort: Effort;
  readonly seed: number;
  readonly isOver: () => boolean;
  /** Called when a part of the search begins. */
  readonly onPart: (part: string) => void;
}

export type SceneBounds = Omit<Exhausted, 'breach'>;
export type WalkBounds = Omit<Wandered, 'breach'>;

/** Searches for breaches of every guarantee. One that is broken is left out from then on, so that others show too. */
export class BreachHunt {
  readonly breaches: Breach[] = [];
  readonly #search: BreachSearch;
  readonly #scenes: readonly Scene[];

  constructor(search: BreachSearch) {
    const { engine, policy, action } = search;
    this.#search = search;
    this.#scenes = policy.kind === 'rate' ? [callScene(policy)] : scenesOf(engine, action, policy);
  }

  /** Tries everything, in each scene, as deep as the effort allows, while there is a guarantee left to break. */
  exhaust(): readonly SceneBounds[] {
    const { effort, onPart } = this.#search;
    return this.#scenes.map((scene) => {
      if (this.#unbroken().length === 0) return { scene: scene.name, states: 0, completeDepth: 0, spanMs: 0 };
      onPart(scene.name);
      this.#until(() => ({ breach: this.#breachBefore(scene) }));
      return this.#until(() => exhaust(scene, { ...this.#search, ...effort, guarantees: this.#unbroken() }));
    });
  }

  /** Walks on at random, from where the scenes begin. Null for a policy over calls, which has one small scene. */
  walk(): WalkBounds | null {
    const { policy, effort, seed, onPart } = this.#search;
    const [first, ...others] = this.#scenes.map(({ start }): State => start);
    if (policy.kind === 'rate' || first === undefined) return null;
    onPart('random walks');
    return this.#until(() =>
      wander({
        ...this.#search,
        policy,
        acts: everyAct,
        starts: [first, ...others],
        guarantees: this.#unbroken(),
        walks: effort.walks,
        random: new Random(`${seed}/${policy.name}`),
      }),
    );
  }

  /** What leads to where a scene begins may break something, too. */
  #breachBefore({ start }: Scene): Breach | null {
    return firstBreach(stepsOf(start.trail), this.#unbroken(), this.#search.action, this.#search);
  }

  #unbroken(): readonly Guarantee[] {
    return this.#search.guarantees.filter((one) => !this.breaches.some(({ guarantee }) => guarantee === one));
  }

  /** Again and again until nothing more is found. */
  #until<B extends object>(search: () => B & { readonly breach: Breach | null }): Omit<B, 'breach'> {
    const { engine, policy, action } = this.#search;
    for (;;) {
      const { breach, ...bounds } = search();
      if (breach === null) return bounds;
      this.breaches.push(shrink(breach, action, { engine, policy }));
    }
  }
}
