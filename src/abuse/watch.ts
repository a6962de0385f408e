import { assertName } from '../core/names.ts';
import type { OptionKinds } from '../core/options.ts';
import type { Key } from '../core/records.ts';
import type { Secrets } from '../identity/component-hasher.ts';
import { AllowList, type AllowListOptions } from '../limits/allow-list.ts';
import { harmless } from '../listeners/listener-warnings.ts';
import { builtInScenarios } from './built-in-scenarios.ts';
import { CallerKeys } from './caller-keys.ts';
import { type CompiledScenario, type CompiledSign, compileScenarios } from './compiled-scenario.ts';
import { createEventReading, type EventReading } from './event-reading.ts';
import type { ScenarioEvent, ScenarioFinding, ScenarioListener } from './events.ts';
import type { Facts } from './facts.ts';
import { counterOf, type Mark } from './marks.ts';
import type { Group, Outcome, Sighting } from './observe-step.ts';
import type { RequestCall, RequestEvent } from './request-event.ts';
import type { Scenario, SignKey } from './scenario.ts';
import { ScenarioCounter } from './scenario-counter.ts';
import { assertScenarios, shadowOf } from './scenario-problems.ts';
import { goodStanding } from './scenario-standing.ts';
import { type CandidateSign, SignIndex } from './sign-index.ts';
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

export const watchKinds: OptionKinds<WatchOptions> = {
  secret: 'checked',
  previousSecret: 'checked',
  scenarios: 'list',
  environment: 'checked',
  name: 'checked',
  allow: 'object',
  shadow: 'checked',
  onEvent: 'function',
};

/** One key of an event, with the signs that it is judged by. */
export interface EventGroup extends Group {
  readonly kind: SignKey;
  readonly sightings: readonly EventSighting[];
}

interface EventSighting extends Sighting {
  readonly sign: CompiledSign;
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
  readonly #signs: SignIndex;
  readonly #standpoints: readonly SignKey[];
  readonly #allow: AllowList;
  readonly #callers: CallerKeys;
  readonly #reading: EventReading;
  readonly #onEvent: ScenarioListener;

  /**
   * @param reading one that others share, of the same secret
   * @throws Fault `CONFIG_INVALID` when a scenario or an option is not well formed; the message names every problem.
   */
  constructor(
    options: WatchOptions,
    limiterBlocks: boolean,
    reading: EventReading = createEventReading(options),
  ) {
    const { scenarios = builtInScenarios, environment = 'default', name = 'default' } = options;
    assertName('environment', environment);
    assertName('name', name);
    assertScenarios(scenarios, 'scenarios');
    const plan = compileScenarios(scenarios, shadowOf(options.shadow, scenarios), limiterBlocks);
    this.#signs = new SignIndex(plan.scenarios);
    this.#reading = reading;
    this.enforced = plan.scenarios.filter(({ shadow }) => !shadow);
    this.#standpoints = kinds.filter((kind) =>
      this.enforced.some(({ signs }) => signs.some(({ key }) => key === kind)),
    );
    this.keyspace = createSubjectKeyspace(environment, name, options, plan.places);
    this.names = scenarios.map((scenario) => scenario.name);
    this.#callers = new CallerKeys(this.keyspace);
    this.counter = new ScenarioCounter(this.names, needingHeaders(plan.scenarios));
    this.#allow = new AllowList(options.allow ?? {});
    this.#onEvent = options.onEvent === undefined ? () => {} : harmless('scenarios', options.onEvent);
  }

  tell(event: ScenarioEvent): void {
    this.counter.count(event);
    this.#onEvent(event);
  }

  read(event: RequestEvent): Facts {
    return this.#reading.facts.read(event);
  }

  /** Whether nobody judges this caller; told and counted. */
  isSkipped(event: RequestEvent): boolean {
    const by = this.#allow.find(event);
    if (by !== null) this.tell({ type: 'scenario', what: 'skipped', scenario: null, by });
    return by !== null;
  }

  /** What an event is to be judged by; empty for most of them. */
  groupsOf(facts: Facts): readonly EventGroup[] {
    const { status } = facts.event;
    const hasHeaders = facts.headers !== null;
    this.counter.observed += 1;
    if (!hasHeaders) this.counter.headerless += 1;
    let groups: GroupDraft[] | null = null;
    for (const { scenario, signs } of this.#signs.find(facts.method, status ?? 0, hasHeaders)) {
      let isJudged = false;
      for (const candidate of signs) {
        const use = useOf(candidate, facts);
        if (use === null) continue;
        if (!isJudged && this.#isAllowed(scenario, facts)) break;
        isJudged = true;
        groups = this.#draft(groups, candidate.sign, facts, use === 'clears');
      }
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
      const keys = this.#callers.find(kind, facts);
      if (keys !== null) standpoints.push({ kind, key: keys.subject });
    }
    return standpoints;
  }

  /** Scenarios that judge a call. */
  enforcedFor(call: RequestCall): readonly CompiledScenario[] {
    return this.enforced.filter(({ allow }) => allow === null || allow.find(call) === null);
  }

  /** Tells of a response. `until` is where a limiter keeps the block. */
  conclude({ kind, sightings }: EventGroup, outcome: Outcome, until: number | null): ScenarioFinding {
    const sign = sightings[outcome.sighting]?.sign;
    const scenario = sign?.scenario ?? '';
    const shadow = sign?.plan.isShadow ?? false;
    const finding: ScenarioFinding = { scenario, what: outcome.what, key: kind, shadow, until };
    this.tell({ type: 'scenario', ...finding });
    return finding;
  }

  #isAllowed({ name, allow }: CompiledScenario, { event }: Facts): boolean {
    const by = allow?.find(event) ?? null;
    if (by !== null) this.tell({ type: 'scenario', what: 'skipped', scenario: name, by });
    return by !== null;
  }

  #draft(
    groups: GroupDraft[] | null,
    sign: CompiledSign,
    facts: Facts,
    clears: boolean,
  ): GroupDraft[] | null {
    const keys = this.#callers.find(sign.key, facts);
    if (keys === null) return groups;
    const values = this.#marksOf(sign, facts);
    if (values === null) return groups;
    const counter = sign.counters === 1 ? 0 : counterOf(this.#reading.marks.of(facts.route), sign.counters);
    const evidence = keys.evidence(sign.place + counter);
    const known = groups === null ? undefined : groupOf(groups, sign.key);
    if (known !== undefined) {
      known.add({ evidence, sign, values, clears });
      return groups;
    }
    const cameInGoodStanding = facts.event.standing === goodStanding;
    const group = new GroupDraft(sign.key, keys, { evidence, sign, values, clears }, cameInGoodStanding);
    if (groups === null) return [group];
    groups.push(group);
    return groups;
  }

  /** Null where the event does not show all that the sign tells apart. */
  #marksOf({ values }: CompiledSign, facts: Facts): readonly Mark[] | null {
    if (values.length === 0) return noMarks;
    const marks: Mark[] = [];
    for (const kind of values) {
      const value = facts.valueOf(kind);
      if (value === null) return null;
      marks.push(this.#reading.marks.of(value));
    }
    return marks;
  }
}

class GroupDraft implements EventGroup {
  readonly kind: SignKey;
  readonly subject: SubjectKeys['subject'];
  readonly sightings: EventSighting[];
  readonly keys: Key[];
  readonly cameInGoodStanding: boolean;

  constructor(kind: SignKey, { subject }: SubjectKeys, first: EventSighting, cameInGoodStanding: boolean) {
    this.kind = kind;
    this.subject = subject;
    this.sightings = [first];
    this.keys = [subject, first.evidence];
    this.cameInGoodStanding = cameInGoodStanding;
  }

  add(sighting: EventSighting): void {
    this.sightings.push(sighting);
    this.keys.push(sighting.evidence);
  }
}

const noGroups: readonly EventGroup[] = [];
const noMarks: readonly Mark[] = [];

/** Null where the sign has nothing to do with the event after all. */
function useOf({ sign, mayCount, mayClear }: CandidateSign, facts: Facts): 'counts' | 'clears' | null {
  if (mayCount && sign.filter.holds(facts)) return 'counts';
  return mayClear && sign.clearedBy?.holds(facts) ? 'clears' : null;
}

function groupOf(groups: readonly GroupDraft[], kind: SignKey): GroupDraft | undefined {
  for (const group of groups) if (group.kind === kind) return group;
  return undefined;
}

function needingHeaders(scenarios: readonly CompiledScenario[]): string[] {
  return scenarios
    .filter(({ signs }) => signs.some(({ needsHeaders }) => needsHeaders))
    .map(({ name }) => name);
}
