import { type ProtectionName, protections, type ScenarioName, scenarios } from './scenarios.ts';
import { type Interval, type Scenario, simulate } from './simulate.ts';

const plays = new Map<string, Promise<Interval[]>>();

/** What becomes of a scenario under a protection; played once, however often it is asked for. */
export function played(scenario: ScenarioName, protection: ProtectionName): Promise<Interval[]> {
  const name = `${scenario} ${protection}`;
  const play = plays.get(name) ?? simulate(scenarios[scenario] satisfies Scenario, protections[protection]);
  plays.set(name, play);
  return play;
}
