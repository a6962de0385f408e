import type { Key } from '../core/records.ts';
import type { Secrets } from '../identity/component-hasher.ts';
import { AllowList, type AllowListOptions } from '../limits/allow-list.ts';
import { assertName } from '../limits/limiter-options.ts';
import { builtInScenarios } from './built-in-scenarios.ts';
import { type CompiledScenario, type CompiledSign, compileScenarios } from './compiled-scenario.ts';
import type { ScenarioEvent, ScenarioFinding, ScenarioListener } from './events.ts';
import { createFactReader, type Facts } from './facts.ts';
import type { Group, Outcome, Sighting } from './observe-step.ts';
import type { RequestCall, RequestEvent } from './request-event.ts';
import type { Scenario, SignKey } from './scenario.ts';
import { ScenarioCounter } from './scenario-counter.ts';
import { assertScenarios } from './scenario-problems.ts';
import type { Standpoint } from './standing.ts';
import { createSubjectKeyspace, type SubjectKeys, type SubjectKeyspace } from './subject-keys.ts';

/** What scenarios watch with, live or in a replay. */
export interface WatchOptions extends Secrets {
  /** Default: the built-in ones. */
  readonly scenarios?: readonly Scenario[] | undefined;
  /** Part of every key, so that environments can share a store. Default `default`. */
  readonly environment?: string | undefined;
  /** Part of every key; sets of scenarios with different names do not meet. Default `default`. */
  readonly name?: string | undefined;
  /** Whom no scenario judges. Default: nobody. */
  readonly allow?: AllowListOptions | undefined;
  /** Scenarios that decide and tell, but never enforce, besides those that say so; `true` for all. Default none. */
  readonly shadow?: boolean | readonly string[] | undefined;
  readonly onEvent?: ScenarioListener | undefined;
}

/** One key of an event, with the signs that it is judged by. */
export interface EventGroup extends Group {
  readonly kind: SignKey;
  readonly signs: readonly CompiledSign[];
}

/** In the order in which the keys of an event are judged: whom it is about before the crowd it is in. */
const kinds: readonly SignKey[] = ['client', 'user', 'network', 'range', 'headers', 'fingerprint'];

/** Turns events into groups of records to judge, and outcomes into findings. Knows no store and no time. */
export class Watch {
  readonly names: readonly string[];
  readonly counter: ScenarioCounter;
  /** Those that are enforced. */
  readonly enforced: readonly CompiledScenario[];
  readonly keyspace: SubjectKeyspace;
  readonly #scenarios: readonly CompiledScenario[];
  readonly #standpoints: readonly SignKey[];
  readonly #allow: AllowList;
  readonly #facts = createFactReader();
  readonly #onEvent: ScenarioListener;

  /** @throws Fault `CONFIG_INVALID` when a scenario or an option is not well formed; the message names every problem. */
  constructor(options: WatchOptions, limiterBlocks: boolean) {
    const { scenarios = builtInScenarios, environment = 'default', name = 'default' } = options;
    assertName('environment', environment);
    assertName('name', name);
    assertScenarios(scenarios, 'scenarios');
    const plan = compileScenarios(scenarios, shadowOf(options.shadow), limiterBlocks);
    this.#scenarios = plan.scenarios;
    this.enforced = plan.scenarios.filter(({ shadow }) => !shadow);
    this.#standpoints = kinds.filter((kind) =>
      this.enforced.some(({ signs }) => signs.some(({ key }) => key === kind)),
    );
    this.keyspace = createSubjectKeyspace(environment, name, options, plan.places);
    this.names = scenarios.map((scenario) => scenario.name);
    this.counter = new ScenarioCounter(this.names);
    this.#allow = new AllowList(options.allow ?? {});
    this.#onEvent = options.onEvent ?? (() => {});
  }

  tell(event: ScenarioEvent): void {
    this.counter.count(event);
    this.#onEvent(event);
  }

  read(event: RequestEvent): Facts {
    return this.#facts.read(event);
  }

  /** Whether nobody judges this caller; told and counted. */
  isSkipped(event: RequestEvent): boolean {
    const by = this.#allow.find(event);
    if (by !== null) this.tell({ type: 'scenario', what: 'skipped', scenario: null, by });
    return by !== null;
  }

  /** What an event is to be judged by; empty for most of them. */
  groupsOf(facts: Facts): readonly EventGroup[] {
    this.counter.observed += 1;
    let groups: GroupDraft[] | null = null;
    for (const scenario of this.#scenarios) {
      const signs = this.#signsFor(scenario, facts);
      if (signs.length === 0 || this.#isAllowed(scenario, facts)) continue;
      groups ??= [];
      for (const sign of signs) this.#draft(groups, sign, facts);
    }
    if (groups === null) return noGroups;
    if (groups.length > 1) groups.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
    return groups;
  }

  /** The keys a call stands under; empty where it is judged by none. */
  standpointsOf(facts: Facts): readonly Standpoint[] {
    if (this.enforced.length === 0 || this.#allow.find(facts.event) !== null) return [];
    const standpoints: Standpoint[] = [];
    for (const kind of this.#standpoints) {
      const who = facts.who(kind);
      if (who !== null) standpoints.push({ kind, key: this.keyspace.keysOf(kind, who).subject });
    }
    return standpoints;
  }

  /** Scenarios that judge a call. */
  enforcedFor(call: RequestCall): readonly CompiledScenario[] {
    return this.enforced.filter(({ allow }) => allow === null || allow.find(call) === null);
  }

  /** Tells of a response. `until` is where a limiter keeps the block. */
  conclude({ kind, signs }: EventGroup, outcome: Outcome, until: number | null): ScenarioFinding {
    const sign = signs[outcome.sighting];
    const scenario = sign?.scenario ?? '';
    const shadow = sign?.plan.isShadow ?? false;
    const finding: ScenarioFinding = { scenario, what: outcome.what, key: kind, shadow, until };
    this.tell({ type: 'scenario', ...finding });
    return finding;
  }

  #signsFor({ name, signs }: CompiledScenario, facts: Facts): readonly CompiledSign[] {
    let matching: CompiledSign[] | null = null;
    let blind = false;
    for (const sign of signs) {
      if (sign.needsHeaders && facts.headers === null) blind = true;
      else if (sign.filter.matches(facts) || sign.clearedBy?.matches(facts)) {
        if (matching === null) matching = [sign];
        else matching.push(sign);
      }
    }
    if (blind) this.counter.blind(name);
    return matching ?? noSigns;
  }

  #isAllowed({ name, allow }: CompiledScenario, { event }: Facts): boolean {
    const by = allow?.find(event) ?? null;
    if (by !== null) this.tell({ type: 'scenario', what: 'skipped', scenario: name, by });
    return by !== null;
  }

  #draft(groups: GroupDraft[], sign: CompiledSign, facts: Facts): void {
    const who = facts.who(sign.key);
    if (who === null) return;
    const values = this.#marksOf(sign, facts);
    if (values === null) return;
    let group = groups.find(({ kind }) => kind === sign.key);
    if (group === undefined) {
      group = new GroupDraft(sign.key, this.keyspace.keysOf(sign.key, who));
      groups.push(group);
    }
    const counter = sign.counters === 1 ? 0 : this.keyspace.counterOf(facts.route, sign.counters);
    group.add(sign, counter, values, !sign.filter.matches(facts));
  }

  /** Null where the event does not show all that the sign tells apart. */
  #marksOf({ values }: CompiledSign, facts: Facts): readonly string[] | null {
    if (values.length === 0) return noMarks;
    const marks: string[] = [];
    for (const kind of values) {
      const value = facts.valueOf(kind);
      if (value === null) return null;
      marks.push(this.keyspace.mark(value));
    }
    return marks;
  }
}

class GroupDraft implements EventGroup {
  readonly kind: SignKey;
  readonly subject: SubjectKeys['subject'];
  readonly sightings: Sighting[] = [];
  readonly signs: CompiledSign[] = [];
  readonly keys: Key[];
  readonly #names: SubjectKeys;

  constructor(kind: SignKey, names: SubjectKeys) {
    this.kind = kind;
    this.#names = names;
    this.subject = names.subject;
    this.keys = [names.subject];
  }

  add(sign: CompiledSign, counter: number, values: readonly string[], clears: boolean): void {
    const evidence = this.#names.evidence(sign.place + counter);
    const { thresholds, plan } = sign;
    this.signs.push(sign);
    this.keys.push(evidence);
    this.sightings.push({ evidence, thresholds, plan, values, clears });
  }
}

const noGroups: readonly EventGroup[] = [];
const noSigns: readonly CompiledSign[] = [];
const noMarks: readonly string[] = [];

function shadowOf(shadow: WatchOptions['shadow'] = false): (name: string) => boolean {
  return typeof shadow === 'boolean' ? () => shadow : (name) => shadow.includes(name);
}
