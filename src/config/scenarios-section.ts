import Type from 'typebox';
import {
  builtInOverrideSchema,
  builtInScenarios,
  readScenarios,
  type Scenario,
  scenarioSchema,
} from '../abuse/index.ts';
import { mostScenarios } from '../abuse/scenario-problems.ts';
import { longestScenarioName } from '../abuse/scenario-schema.ts';
import { AllowSchema } from './allow-schema.ts';
import { optionalFields, strict, text, whole } from './fields.ts';
import { type Problem, schemaProblems } from './problem.ts';
import { isTree } from './tree.ts';

const GoodBotSchema = Type.Object(
  {
    agent: text(64, 'A part of its `User-Agent`, without regard to case.'),
    domains: Type.Array(text(253), {
      minItems: 1,
      maxItems: 16,
      description: 'Where the names of its addresses end.',
    }),
  },
  strict,
);

/** Entries are checked one by one, for what they may say depends on their name. */
const ScenarioList = Type.Array(Type.Unknown(), { maxItems: mostScenarios });

/** What a configuration may say of the abuse scenarios: a list, or the list with what holds for all of them. */
export const ScenariosSection = Type.Union(
  [
    ScenarioList,
    optionalFields({
      enabled: Type.Boolean({ description: 'Default true.' }),
      list: ScenarioList,
      allow: AllowSchema,
      shadow: Type.Union(
        [Type.Boolean(), Type.Array(text(longestScenarioName), { maxItems: mostScenarios })],
        {
          description: 'Scenarios that decide and tell, but never enforce; `true` for all.',
        },
      ),
      goodBots: Type.Union([Type.Boolean(), Type.Array(GoodBotSchema, { minItems: 1, maxItems: 64 })], {
        description:
          'Search engines that no scenario judges once their address is verified by DNS: `true` for the known ones, or a list. Default false: no name server is asked.',
      }),
      mostDelayed: whole(0, 10_000, 'Calls that may be held back at once. Default 100.'),
    }),
  ],
  { description: 'Scenarios of your own, and other settings for the built-in ones.' },
);

export type ScenariosData = Type.Static<typeof ScenariosSection>;

/** What an entry of the list may be, for the published schema. */
export const scenarioEntrySchemas = [builtInOverrideSchema, scenarioSchema] as const;

/** The scenarios that run: the built-in ones with what the list says of them, and those of the list. */
export function resolveScenarios(section: unknown, problems: Problem[]): readonly Scenario[] {
  const isList = Array.isArray(section);
  const list: unknown = isList ? section : isTree(section) ? section.list : undefined;
  const path = isList ? 'scenarios' : 'scenarios.list';
  if (isTree(section)) problems.push(...shadowProblems(section.shadow, list));
  if (!Array.isArray(list)) return builtInScenarios;
  const found = list.flatMap((entry: unknown, index) => entryProblems(entry, `${path}[${index}]`));
  if (found.length > 0) {
    problems.push(...found);
    return [];
  }
  const read = readScenarios(list, path);
  problems.push(...read.problems.map(asProblem));
  return read.scenarios;
}

const builtInNames: ReadonlySet<unknown> = new Set(builtInScenarios.map(({ name }) => name));

/** A name that no scenario has: the one that was meant would be enforced. */
function shadowProblems(shadow: unknown, list: unknown): Problem[] {
  if (!Array.isArray(shadow)) return [];
  const own = Array.isArray(list)
    ? list.map((entry: unknown) => (isTree(entry) ? entry.name : undefined))
    : [];
  const names = [...new Set([...builtInNames, ...own])].filter(isName);
  return shadow.flatMap((name: unknown, index) =>
    typeof name !== 'string' || names.includes(name)
      ? []
      : [{ path: `scenarios.shadow[${index}]`, message: `is not one of ${names.join(', ')}` }],
  );
}

const isName = (name: unknown): name is string =>
  typeof name === 'string' && name.length <= longestScenarioName;

/** An entry with the name of a built-in one and without a key of its own changes that one. */
function entryProblems(entry: unknown, path: string): Problem[] {
  const isOverride = isTree(entry) && builtInNames.has(entry.name) && !('key' in entry);
  return schemaProblems(isOverride ? builtInOverrideSchema : scenarioSchema, entry, path);
}

function asProblem(text: string): Problem {
  const [path = '', ...rest] = text.split(': ');
  return rest.length === 0 ? { path: '', message: text } : { path, message: rest.join(': ') };
}
