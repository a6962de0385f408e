import { DAY_MS, MINUTE_MS } from '../core/duration.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import { AllowList } from '../limits/allow-list.ts';
import { builtInScenarios } from './built-in-scenarios.ts';
import type { EventFilter, Scenario, Sign } from './scenario.ts';
import { builtInOverrideSchema, scenarioSchema } from './scenario-schema.ts';
import { isTree, schemaProblems } from './schema-problems.ts';

/** In one list: each request is matched against all of them. */
export const mostScenarios = 64;
const longestDrainMs = DAY_MS;

/** A list of scenarios as a configuration has it, or every problem with it. */
export interface ReadScenarios {
  /** Empty when there are problems. */
  readonly scenarios: readonly Scenario[];
  /** Each with the path of its field: what was expected there, and the shape of what came. */
  readonly problems: readonly string[];
}

/**
 * Reads the `scenarios` of a configuration: the built-in ones, and those of the list. An entry with the name of a built-in
 * one changes its response, shadow or allowlist, ends it (`off`), or, where it has a key, takes its place.
 *
 * @param path where the list stands, for the messages
 */
export function readScenarios(list: unknown, path = 'scenarios'): ReadScenarios {
  const found = new Map(builtInScenarios.map((scenario) => [scenario.name, scenario]));
  if (list === undefined || list === null) return { scenarios: [...found.values()], problems: [] };
  if (!Array.isArray(list) || list.length > mostScenarios) {
    const problem = `${path}: must be a list of at most ${mostScenarios} scenarios, got ${shapeOf(list)}`;
    return { scenarios: [], problems: [problem] };
  }
  const problems: string[] = [];
  const seen = new Set<unknown>();
  list.forEach((entry: unknown, index) => {
    const place = `${path}[${index}]`;
    const name = isTree(entry) ? entry.name : undefined;
    if (typeof name === 'string' && seen.has(name))
      problems.push(`${place}.name: there is another one of this name`);
    seen.add(name);
    const scenario = readEntry(entry, found, place, problems);
    if (scenario === 'off') found.delete(String(name));
    else if (scenario !== null) found.set(scenario.name, scenario);
  });
  return { scenarios: problems.length === 0 ? [...found.values()] : [], problems };
}

function readEntry(
  entry: unknown,
  known: ReadonlyMap<string, Scenario>,
  place: string,
  problems: string[],
): Scenario | 'off' | null {
  const builtIn = isTree(entry) && typeof entry.name === 'string' ? known.get(entry.name) : undefined;
  if (builtIn === undefined || (isTree(entry) && 'key' in entry)) {
    problems.push(...scenarioProblems(entry, place));
    return isTree(entry) ? (entry as object as Scenario) : null;
  }
  const found = schemaProblems(builtInOverrideSchema, entry, place);
  problems.push(...found);
  if (found.length > 0) return null;
  const { off, ...settings } = entry as Partial<Scenario> & { readonly off?: boolean };
  if (off) return 'off';
  const scenario = { ...builtIn, ...settings };
  problems.push(...senseProblems(scenario, place));
  return scenario;
}

/** Every problem with one scenario; empty when there is none. */
export function scenarioProblems(value: unknown, path: string): string[] {
  if (!isTree(value)) return [`${path}: must be an object, got ${shapeOf(value)}`];
  const problems = schemaProblems(scenarioSchema, value, path);
  return problems.length > 0 ? problems : senseProblems(value as object as Scenario, path);
}

/** @throws Fault `CONFIG_INVALID` that names every problem. */
export function assertScenarios(scenarios: readonly Scenario[], path: string): void {
  const problems = scenarios.flatMap((scenario, index) => scenarioProblems(scenario, `${path}[${index}]`));
  const names = scenarios.map(({ name }) => name);
  names.forEach((name, index) => {
    if (names.indexOf(name) < index)
      problems.push(`${path}[${index}].name: there is another one of this name`);
  });
  if (problems.length > 0) throw new Fault('CONFIG_INVALID', problems.join('; '));
}

/**
 * Says which scenarios run in shadow. A built-in one may be named that does not run: a configuration may switch it off.
 *
 * @throws Fault `CONFIG_INVALID` for a name that none has: the scenario that was meant would be enforced.
 */
export function shadowOf(
  shadow: boolean | readonly string[] | undefined,
  scenarios: readonly Scenario[],
): (name: string) => boolean {
  if (shadow === undefined || typeof shadow === 'boolean') return () => shadow === true;
  if (!Array.isArray(shadow)) {
    throw new Fault('CONFIG_INVALID', `shadow: must be a boolean or a list of names, got ${shapeOf(shadow)}`);
  }
  const names = new Set([...scenarios, ...builtInScenarios].map(({ name }) => name));
  const wrong = shadow.findIndex((name) => !names.has(name));
  if (wrong >= 0) {
    const expected = `must be one of ${[...names].join(', ')}`;
    throw new Fault('CONFIG_INVALID', `shadow[${wrong}]: ${expected}, got ${shapeOf(shadow[wrong])}`);
  }
  return (name) => shadow.includes(name);
}

/** Problems that no single field shows. */
function senseProblems(scenario: Scenario, path: string): string[] {
  const { response, allow, or = [] } = scenario;
  const problems = [scenario, ...or].flatMap((sign, index) =>
    signProblems(sign, index === 0 ? path : `${path}.or[${index - 1}]`),
  );
  if (response?.degrade === false && response.block === false) {
    problems.push(`${path}.response: must degrade, block or both; to only look, use shadow`);
  }
  if (allow !== undefined) problems.push(...allowProblems(scenario, path));
  return problems;
}

function signProblems({ filter, clearedBy, bucket, distinct = [] }: Sign, path: string): string[] {
  const problems = [
    ...filterProblems(filter, `${path}.filter`),
    ...filterProblems(clearedBy, `${path}.clearedBy`),
  ];
  distinct.forEach(({ atLeast, atMost }, index) => {
    if ((atLeast === undefined) === (atMost === undefined)) {
      problems.push(`${path}.distinct[${index}]: must have either atLeast or atMost`);
    }
  });
  if (bucket === undefined && !distinct.some(({ atLeast }) => atLeast !== undefined)) {
    problems.push(`${path}: must have a bucket, or a distinct with atLeast`);
  }
  if (bucket !== undefined && (bucket.capacity / bucket.leakPerMinute) * MINUTE_MS > longestDrainMs) {
    problems.push(`${path}.bucket: must leak all of its capacity within a day`);
  }
  return problems;
}

function filterProblems({ query = [] }: EventFilter = {}, path: string): string[] {
  return query.flatMap(({ from = 0, below }, index) =>
    below !== undefined && below <= from
      ? [`${path}.query[${index}].below: must be more than from, or no number holds`]
      : [],
  );
}

function allowProblems({ allow = {} }: Scenario, path: string): string[] {
  try {
    new AllowList(allow);
    return [];
  } catch (error) {
    if (error instanceof Fault && error.code === 'CONFIG_INVALID') return [`${path}.${error.message}`];
    throw error;
  }
}
