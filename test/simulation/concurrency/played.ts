import { day, type ProtectionName, protections, type ScenarioName, scenarios } from './scenarios.ts';
import { type Interval, type Scenario, simulate } from './simulate.ts';

const plays = new Map<string, Promise<Interval[]>>();
const PLAIN_HOURS = 4;

/** What becomes of a scenario under a protection; played once, however often it is asked for. */
export function played(scenario: ScenarioName, protection: ProtectionName): Promise<Interval[]> {
  return once(`${scenario} ${protection}`, scenarios[scenario], protection);
}

/** The day with the limit that follows latency, or its first hours with the plain one. */
export function playedDay(protection: 'adaptive' | 'plain gradient'): Promise<Interval[]> {
  const lengthMs = protection === 'adaptive' ? day.lengthMs : PLAIN_HOURS * 3_600_000;
  return once(`day ${protection}`, { ...day, lengthMs }, protection);
}

function once(name: string, scenario: Scenario, protection: ProtectionName): Promise<Interval[]> {
  const play = plays.get(name) ?? simulate(scenario, protections[protection]);
  plays.set(name, play);
  return play;
}
