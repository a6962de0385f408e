import type { Policy } from '../../core/policy.ts';
import { type Effort, fullEffort } from './effort.ts';
import { eventsOf, type ProofEvent } from './events.ts';
import { BreachHunt, type SceneBounds, type WalkBounds } from './find-breaches.ts';
import { guarantees } from './guarantees/all.ts';
import type { Promised } from './guarantees/guarantee.ts';
import { boundedAbuse, killSwitch } from './outage.ts';
import type { Trail } from './play.ts';
import { ProofEngine, type RunOperation } from './proof-engine.ts';
import { newcomer, regular } from './scenes.ts';
import { findUnboundedGuesses, findWorstCases, guessesAreBounded, type WorstCases } from './worst-cases.ts';

export interface ProveOptions {
  readonly policies: readonly Policy[];
  /** Default {@link fullEffort}. */
  readonly effort?: Effort | undefined;
  /** Of the random walks. Default 1. */
  readonly seed?: number | undefined;
  /** How operations are run; for tests of the proof itself. */
  readonly run?: RunOperation | undefined;
  /** Whether this share of the time, above 0 and up to 1, is used up. Default never. */
  readonly isOver?: ((share: number) => boolean) | undefined;
  /** Called when a part begins. */
  readonly onPart?: ((part: string) => void) | undefined;
}

/** A promise that does not hold, with the events that show it. */
export interface BrokenGuarantee {
  readonly id: string;
  readonly says: string;
  readonly promised: readonly Promised[];
  readonly what: string;
  /** Empty for a promise about outages, which no replay has. */
  readonly events: readonly ProofEvent[];
}

/** What was found about one policy. */
export interface PolicyProof {
  readonly policy: string;
  readonly action: string;
  /** All that it was held to. */
  readonly promised: readonly PromisedGuarantee[];
  readonly broken: readonly BrokenGuarantee[];
  readonly scenes: readonly SceneBounds[];
  /** Null for a policy over calls, as are its worst cases. */
  readonly walks: WalkBounds | null;
  readonly worst: WorstCases | null;
  /** Whether all but the walks was done before time was up. */
  readonly isWhole: boolean;
  /** The events of a trail. */
  eventsOf(trail: Trail | null): readonly ProofEvent[];
}

/** A promise about outages, and how many courses of events were tried against it. */
export interface OutageBounds {
  readonly id: string;
  readonly says: string;
  readonly tried: number;
}

export interface Proof {
  readonly policies: readonly PolicyProof[];
  readonly outages: readonly OutageBounds[];
  readonly brokenInOutages: readonly BrokenGuarantee[];
}

/** What a guarantee is, apart from how it is checked. */
export type PromisedGuarantee = Pick<BrokenGuarantee, 'id' | 'says' | 'promised'>;

/** All that is promised of a policy, in the order of the promises. */
export function guaranteesOf({ kind }: Policy): readonly PromisedGuarantee[] {
  return kind === 'credential'
    ? [...guarantees, guessesAreBounded]
    : guarantees.filter(({ concerns }) => concerns === 'every policy');
}

/**
 * Searches for a trace that breaks a guarantee under the policies, and for the worst that they allow. What is found is
 * real and can be replayed. What is not found may still exist beyond the bounds that the result names.
 */
export function prove(options: ProveOptions): Proof {
  const { policies, isOver = () => false, effort = fullEffort } = options;
  const { outages, broken } = proveOutages(policies, effort);
  const proofs = policies.map((policy, index) =>
    provePolicy(policy, options, () => isOver((index + 1) / policies.length)),
  );
  return { policies: proofs, outages, brokenInOutages: broken };
}

function provePolicy(policy: Policy, options: ProveOptions, isOver: () => boolean): PolicyProof {
  const { effort = fullEffort, seed = 1, run } = options;
  const engine = new ProofEngine({ policies: options.policies, run });
  const action = policy.actions[0] ?? '';
  const onPart = (part: string) => options.onPart?.(`${policy.name}: ${part}`);
  const concerned = guarantees.filter(
    ({ concerns }) => policy.kind === 'credential' || concerns === 'every policy',
  );
  const hunt = new BreachHunt({
    engine,
    policy,
    action,
    guarantees: concerned,
    effort,
    seed,
    isOver,
    onPart,
  });
  const scenes = hunt.exhaust();
  const search = { policy, action, effort, run, isOver, onPart };
  const isCredential = policy.kind === 'credential';
  const unbounded = isCredential ? findUnboundedGuesses({ ...search, policy }) : null;
  const worst = isCredential ? findWorstCases({ ...search, policy }) : null;
  const isWhole = !isOver();
  const walks = hunt.walk();
  const events = (trail: Trail | null) => eventsOf(engine, action, trail);
  const broken = hunt.breaches.map(({ guarantee: { id, says, promised }, what, trail }): BrokenGuarantee => {
    return { id, says, promised, what, events: events(trail) };
  });
  if (unbounded !== null)
    broken.push({ ...guessesAreBounded, what: unbounded.what, events: events(unbounded.trail) });
  const promised = guaranteesOf(policy);
  return { policy: policy.name, action, promised, broken, scenes, walks, worst, isWhole, eventsOf: events };
}

function proveOutages(policies: readonly Policy[], { outageDepth }: Effort) {
  const engine = new ProofEngine({ policies });
  const promises = [
    killSwitch(),
    ...policies.map((policy) =>
      boundedAbuse((turn) => {
        const abuser = policy.kind === 'rate' ? regular : newcomer;
        return engine.request({ action: policy.actions[0] ?? '', ...abuser.signals(turn) });
      }),
    ),
  ];
  const broken: BrokenGuarantee[] = [];
  const outages = promises.map(({ id, says, promised, search }): OutageBounds => {
    const { tried, what } = search(outageDepth);
    if (what !== null) broken.push({ id, says, promised, what, events: [] });
    return { id, says, tried };
  });
  return { outages, broken };
}
