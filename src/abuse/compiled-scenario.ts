import { MINUTE_MS } from '../core/duration.ts';
import { AllowList } from '../limits/allow-list.ts';
import { type CompiledFilter, compileFilter } from './event-filter.ts';
import { type Thresholds, thresholdsOf } from './evidence.ts';
import type { Facts } from './facts.ts';
import type { ResponsePlan } from './observe-step.ts';
import type { DistinctValue, Scenario, Sign, SignKey } from './scenario.ts';

/** A scenario, ready to watch. */
export interface CompiledScenario {
  readonly name: string;
  readonly shadow: boolean;
  readonly signs: readonly CompiledSign[];
  /** Null where it has no allowlist of its own. */
  readonly allow: AllowList | null;
  /** Of the refill rate, while degraded. */
  readonly refillScale: number;
  /** The longest delay while degraded. */
  readonly delayMs: number;
  readonly plan: ResponsePlan;
}

/** A sign, ready to watch. */
export interface CompiledSign {
  readonly key: SignKey;
  readonly filter: CompiledFilter;
  readonly clearedBy: CompiledFilter | null;
  readonly values: readonly DistinctValue[];
  readonly thresholds: Thresholds;
  /** Whether it sees nothing where nobody saw the headers. */
  readonly needsHeaders: boolean;
  /** The first of its places among all, and how many counters it has from there on. */
  readonly place: number;
  readonly counters: number;
  /** As its scenario's, for this key. */
  readonly plan: ResponsePlan;
  readonly scenario: string;
}

const routeCounters = 16;
const defaultDegradeMs = 10 * MINUTE_MS;
const defaultScale = 0.25;
const defaultDelayMs = 2_000;
const defaultBlockLevel = 3;
/** Keys whose blocks a limiter can keep: it knows clients, and users as clients. */
const limiterKeys: ReadonlySet<SignKey> = new Set(['client', 'user']);

/** Compiled scenarios, and the names of the evidence they keep, by place. */
export interface ScenarioPlan {
  readonly scenarios: readonly CompiledScenario[];
  readonly places: readonly string[];
}

/**
 * @param limiterBlocks whether there is a limiter that keeps the blocks of clients
 * @throws Fault `CONFIG_INVALID` when an allowlist is not well formed.
 */
export function compileScenarios(
  scenarios: readonly Scenario[],
  inShadow: (name: string) => boolean,
  limiterBlocks: boolean,
): ScenarioPlan {
  const places: string[] = [];
  const compiled = scenarios.map((scenario): CompiledScenario => {
    const { name, response = {}, allow } = scenario;
    const shadow = scenario.shadow === true || inShadow(name);
    const id = shadow ? `shadow.${name}` : name;
    const degrade = response.degrade === false ? null : (response.degrade ?? {});
    const plan = {
      id,
      isShadow: shadow,
      degradeMs: degrade === null ? null : (degrade.forMs ?? defaultDegradeMs),
      blockFromLevel: response.block === false ? null : (response.block?.fromLevel ?? defaultBlockLevel),
    };
    const signs = [scenario, ...(scenario.or ?? [])].map((sign, index) => {
      const place = places.length;
      const counters = sign.perRoute ? routeCounters : 1;
      for (let counter = 0; counter < counters; counter += 1) places.push(`${id}.${index}.${counter}`);
      const blocksHere = !shadow && !(limiterBlocks && limiterKeys.has(sign.key));
      return compileSign(sign, { place, counters, scenario: name, plan: { ...plan, blocksHere } });
    });
    return {
      name,
      shadow,
      signs,
      allow: allow === undefined ? null : new AllowList(allow),
      refillScale: degrade?.refillScale ?? defaultScale,
      delayMs: degrade?.delayMs ?? defaultDelayMs,
      plan: { ...plan, blocksHere: false },
    };
  });
  return { scenarios: compiled, places };
}

function compileSign(
  sign: Sign,
  placed: Pick<CompiledSign, 'place' | 'counters' | 'scenario' | 'plan'>,
): CompiledSign {
  const filter = compileFilter(sign.filter);
  const values = (sign.distinct ?? []).map(({ of }) => of);
  return {
    key: sign.key,
    filter,
    clearedBy: sign.clearedBy === undefined ? null : compileFilter(sign.clearedBy),
    values,
    thresholds: thresholdsOf(sign),
    needsHeaders: filter.needsHeaders || isOfHeaders(sign.key) || values.some(isOfHeaders),
    ...placed,
  };
}

function isOfHeaders(kind: SignKey | DistinctValue): boolean {
  return kind === 'headers' || kind === 'fingerprint';
}

/** Whom the key of a sign stands for is judged with it; of a crowd's key, those that the sign is about. */
export function concerns(sign: CompiledSign, facts: Facts): boolean {
  return limiterKeys.has(sign.key) || sign.filter.concerns(facts);
}
