import { assertOptions } from '../core/options.ts';
import type { Records } from '../core/records.ts';
import { assertImmediateStore } from '../stores/assert-store.ts';
import type { ImmediateStore } from '../stores/store.ts';
import type { EventReading } from './event-reading.ts';
import type { ScenarioCounts, ScenarioFinding } from './events.ts';
import { observeStep } from './observe-step.ts';
import type { RequestCall, RequestEvent } from './request-event.ts';
import { goodStanding, type ScenarioStanding } from './scenario-standing.ts';
import { standingLook } from './standing.ts';
import { Watch, type WatchOptions, watchKinds } from './watch.ts';

/** Scenarios over recorded traffic, in the time of the record. Nothing waits: no promise, no delay, no name is looked up. */
export interface ScenarioRun {
  readonly names: readonly string[];
  /**
   * Judges an event of the time `at`, in ms. Gives what was done about it; nothing for most events. A blocked caller's
   * events do not count.
   *
   * @throws Fault `INPUT_INVALID` when `ip` is no address.
   */
  observe(event: RequestEvent, at: number): readonly ScenarioFinding[];
  /** How a call of that time would be treated. */
  standing(call: RequestCall, at: number): ScenarioStanding;
  counts(): ScenarioCounts;
}

/**
 * Makes a run over a store that answers at once, whose clock is to follow the record:
 * `createMemoryStore({ clock: () => at }).immediate`.
 *
 * @param reading one that is shared with another run, of the same secret
 * @throws Fault `CONFIG_INVALID` when a scenario or an option is not well formed, or the store does not answer at once.
 */
export function runScenarios(
  store: ImmediateStore,
  options: WatchOptions,
  reading?: EventReading,
): ScenarioRun {
  assertOptions('a run of scenarios', options, watchKinds);
  assertImmediateStore(store);
  const watch = new Watch(options, false, reading);
  return {
    names: watch.names,
    counts: () => watch.counter.counts(),
    observe(event, at) {
      if (watch.isSkipped(event)) return nothing;
      let findings = nothing;
      for (const group of watch.groupsOf(watch.read(event))) {
        const mayRespond = findings.length === 0;
        const step = (records: Records) => observeStep(records, group, at, mayRespond);
        const outcome = store.transact(group.keys, step);
        if (outcome !== null) findings = [watch.conclude(group, outcome, outcome.until)];
      }
      return findings;
    },
    standing(call, at) {
      const facts = watch.read(call);
      const standpoints = watch.standpointsOf(facts);
      if (standpoints.length === 0) return goodStanding;
      const scenarios = watch.enforcedFor(call);
      return store.view(
        standpoints.map(({ key }) => key),
        (records) => standingLook(records, standpoints, scenarios, facts, at),
      );
    },
  };
}

const nothing: readonly ScenarioFinding[] = [];
