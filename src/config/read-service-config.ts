import { dirname, resolve } from 'node:path';
import { Fault, shapeOf } from '../core/fault.ts';
import { assertOptions, type OptionKinds } from '../core/options.ts';
import type { DomainDocument } from '../limits/descriptors/domain-document.ts';
import { parseDocument, readText } from './document.ts';
import {
  configVariable,
  type Environment,
  environmentVariable,
  readVariables,
  type VariableLayer,
} from './environment-variables.ts';
import { type DocumentFolder, readEnvoy } from './envoy-section.ts';
import { resolvePolicies } from './policy-file.ts';
import { bounded, fieldPath, type Problem, problemsFault, schemaProblems } from './problem.ts';
import { resolveService } from './resolve-service.ts';
import { resolveScenarios } from './scenarios-section.ts';
import type { ServiceConfig } from './service-config.ts';
import { serviceDefaults } from './service-defaults.ts';
import { documentFields, type ServiceData, ServiceDocument } from './service-schema.ts';
import { senseProblems } from './service-sense.ts';
import { frozenCopy, isTree, merge, type Tree, valueAt } from './tree.ts';

/** Where a configuration comes from. */
export interface ConfigSource {
  /** YAML or JSON; default `PORTCULLIS_CONFIG`, and without it: defaults and the environment alone. */
  readonly path?: string | undefined;
  /** Default: the environment of the process. */
  readonly env?: Environment | undefined;
  /** The layer to use; default `PORTCULLIS_ENVIRONMENT`, else the document's own `environment`. */
  readonly environment?: string | undefined;
}

const sourceKinds: OptionKinds<ConfigSource> = { path: 'text', env: 'object', environment: 'text' };

interface GoodReading {
  readonly config: ServiceConfig;
  readonly problems: readonly [];
  /** Where the value of a field such as `dataFolder` comes from, in the words of problems. */
  readonly placeOf: (field: string) => string;
}

/** A configuration, or everything that is wrong with it. */
export type DocumentReading = GoodReading | BadReading;

interface BadReading {
  readonly config: null;
  readonly problems: readonly Problem[];
  /** What the system said, where a file could not be read. */
  readonly cause?: unknown;
}

/** The files that were looked at; absolute. */
interface LookedAt {
  readonly files: readonly string[];
}

/** The same, with the files that were looked at. */
export type ConfigReading = DocumentReading & LookedAt;

/**
 * The configuration of a service: the document, its environment's layer over it, the environment's variables over both.
 *
 * @throws Fault `CONFIG_INVALID` that names every problem, or what is no field of the source: without its path a service would run
 * on defaults.
 */
export function readServiceConfig(source: ConfigSource = {}): ServiceConfig {
  assertOptions('a source of configuration', source, sourceKinds);
  return readSoundConfig(source).config;
}

/** The same, with all that is known of where it comes from; places begin with the file, where there is one. */
export function readSoundConfig(source: ConfigSource): GoodReading & LookedAt {
  const path = pathOf(source);
  const reading = checkServiceConfig(source);
  if (reading.config === null) throw problemsFault(path ?? 'environment', reading.problems, reading.cause);
  const { placeOf } = reading;
  return path === undefined ? reading : { ...reading, placeOf: (field) => `${path}: ${placeOf(field)}` };
}

/** The same, with problems as values. Never throws because of what a file or the environment holds. */
export function checkServiceConfig(source: ConfigSource = {}): ConfigReading {
  const { env = process.env } = source;
  const path = pathOf(source);
  const files = new Set(path === undefined ? [] : [resolve(path)]);
  const environment = source.environment ?? (env[environmentVariable] || undefined);
  const folder = path === undefined ? process.cwd() : dirname(resolve(path));
  try {
    const document = path === undefined ? {} : parseDocument(readText(path), path);
    return { ...checkDocument(document, { folder, env, environment, files }), files: [...files] };
  } catch (cause) {
    if (!(cause instanceof Fault) || cause.code !== 'CONFIG_INVALID') throw cause;
    const message = path === undefined ? cause.message : cause.message.replace(`${path}: `, '');
    return { config: null, problems: [{ path: '', message }], cause: cause.cause, files: [...files] };
  }
}

const pathOf = ({ path, env = process.env }: ConfigSource): string | undefined =>
  path ?? (env[configVariable] || undefined);

/** What a document is read with. */
export interface ReadingRoom extends DocumentFolder {
  readonly env: Environment;
  /** Overrides the document's own. */
  readonly environment?: string | undefined;
}

/** Checks a parsed document, with every layer it has, and completes it. */
export function checkDocument(document: unknown, room: ReadingRoom): DocumentReading {
  if (!isTree(document)) {
    // Also what is left of a file that is being written: it must never mean "all defaults".
    const message = document === null ? 'is empty' : `must be an object, got ${shapeOf(document)}`;
    return { config: null, problems: [{ path: '', message }] };
  }
  const { environment: own, environments, $schema: _, ...common } = document;
  const environment = room.environment ?? own ?? serviceDefaults.environment;
  const problems = [
    ...schemaProblems(documentFields.environment, environment, 'environment'),
    ...layerProblems(environments),
  ];
  if (typeof environment !== 'string') return { config: null, problems };
  const layers = isTree(environments) ? Object.fromEntries(Object.entries(environments).filter(isLayer)) : {};
  const names = Object.keys(layers);
  const known = typeof own === 'string' && !names.includes(own) ? [own, ...names] : names;
  if (room.environment !== undefined && names.length > 0 && !known.includes(environment)) {
    problems.push({ path: 'environment', message: `is not one of ${known.join(', ')}` });
  }
  const variables = readVariables(room.env);
  const check: LayerCheck = { environment, common, layer: layers[environment], variables, room };
  const chosen = checkLayer(check);
  const others = names
    .filter((name) => name !== environment)
    .flatMap(
      (name) =>
        checkLayer({ environment: name, common, layer: layers[name], variables: null, room }).problems,
    );
  const all = unique([...problems, ...variables.problems, ...chosen.problems, ...others]);
  if (all.length > 0 || chosen.config === null) return { config: null, problems: bounded(all) };
  const placeOf = (field: string) => placed({ path: field, message: '' }, check).path;
  return { config: frozenCopy(chosen.config), problems: [], placeOf };
}

/** A layer that says nothing may be left empty. */
const isLayer = ([, layer]: readonly [string, unknown]): boolean => layer === null || isTree(layer);

function layerProblems(environments: unknown): Problem[] {
  if (environments === undefined) return [];
  if (!isTree(environments)) {
    return [{ path: 'environments', message: `must be an object, got ${shapeOf(environments)}` }];
  }
  return Object.entries(environments).flatMap(([name, layer]) => {
    const path = fieldPath('environments', name);
    if (!isLayer([name, layer])) return [{ path, message: `must be an object, got ${shapeOf(layer)}` }];
    const misplaced = Object.keys(layer ?? {}).filter((field) => Object.hasOwn(documentFields, field));
    return [
      ...schemaProblems(documentFields.environment, name).map(({ message }) => ({
        path,
        message: `its name ${message}`,
      })),
      ...misplaced.map((field) => ({ path: fieldPath(path, field), message: 'not a field of a layer' })),
    ];
  });
}

interface LayerCheck {
  readonly environment: string;
  readonly common: Tree;
  readonly layer: unknown;
  readonly variables: VariableLayer | null;
  readonly room: ReadingRoom;
}

function checkLayer(check: LayerCheck): { config: ServiceConfig | null; problems: Problem[] } {
  const { common, layer, variables, room } = check;
  const merged = withTokens(merge(merge(common, layer ?? {}), variables?.layer) as Tree, variables);
  const problems = schemaProblems(ServiceDocument, merged);
  const envoy = readEnvoy(merged.envoy, room, problems);
  // What policies and scenarios may say is told with the rest; what fields mean together only once each is sound.
  if (problems.length > 0) {
    resolvePolicies(merged.policies, problems);
    resolveScenarios(merged.scenarios, problems);
  }
  const config = problems.length > 0 ? null : resolveSound(merged as ServiceData, envoy, check, problems);
  const named = problems.map((problem) => placed(problem, check));
  return { config: named.length > 0 ? null : config, problems: named };
}

function resolveSound(
  data: ServiceData,
  envoy: readonly DomainDocument[],
  { environment, room }: LayerCheck,
  problems: Problem[],
): ServiceConfig {
  problems.push(...senseProblems(data));
  return resolveService({ environment, data, folder: room.folder, envoy }, problems);
}

/** Tokens of the environment stand beside those of the document. */
function withTokens(document: Tree, variables: VariableLayer | null): Tree {
  if (variables === null || variables.tokens.length === 0) return document;
  const { tokens = [] } = document;
  return Array.isArray(tokens) ? { ...document, tokens: [...tokens, ...variables.tokens] } : document;
}

/** Names the place a wrong value comes from: a variable, the environment's layer, or the document itself. */
function placed({ path, message }: Problem, { environment, layer, variables }: LayerCheck): Problem {
  // A list of a layer replaces that of the document, so everything in it is the layer's.
  const [fields = ''] = path.split('[', 1);
  const variable = variables?.origins.get(fields);
  if (variable !== undefined) return { path: variable, message };
  const isOfLayer = fields !== '' && valueAt(layer, fields.split('.')) !== undefined;
  return { path: isOfLayer ? `${fieldPath('environments', environment)}.${path}` : path, message };
}

/** A problem of the document itself shows in every layer. */
function unique(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}
