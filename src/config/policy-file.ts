import { readFileSync } from 'node:fs';
import type Type from 'typebox';
import Value from 'typebox/value';
import { parse } from 'yaml';
import { Fault, shapeOf } from '../core/fault.ts';
import { defaultPolicies, type Policy } from '../core/policy.ts';
import { builtInSchemas, schemaOfKind } from './policy-schema.ts';
import { assertPolicy } from './policy-sense.ts';

/** Policies of a file (YAML or JSON). Throws `CONFIG_INVALID` with every problem named. */
export function readPolicyFile(path: string): readonly Policy[] {
  return policiesOf(parseYaml(readText(path), path), path);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Fault('CONFIG_INVALID', `${path}: cannot be read`, { cause });
  }
}

function parseYaml(text: string, path: string): unknown {
  try {
    return parse(text, { maxAliasCount: 100 });
  } catch (cause) {
    const where = cause instanceof Error ? cause.message.split('\n')[0] : 'not readable';
    throw new Fault('CONFIG_INVALID', `${path}: not valid YAML or JSON: ${where}`, { cause });
  }
}

type Tree = Readonly<Record<string, unknown>>;

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The built-in policies with what `document.policies` says of them, and policies of the user's own that extend one of
 * them. `source` names the document in messages.
 */
export function policiesOf(document: unknown, source: string): readonly Policy[] {
  const problems: string[] = [];
  const overrides = policyTree(document, problems);
  const policies = new Map(defaultPolicies.map((policy) => [policy.name, policy]));
  for (const [name, override] of Object.entries(overrides)) {
    const policy = resolvePolicy(name, override, problems);
    if (policy) policies.set(name, policy);
  }
  if (problems.length > 0) throw new Fault('CONFIG_INVALID', `${source}: ${problems.join('; ')}`);
  return [...policies.values()];
}

function policyTree(document: unknown, problems: string[]): Tree {
  if (document === null || document === undefined) return {};
  if (!isTree(document)) {
    problems.push(`the document must be an object with "policies", got ${shapeOf(document)}`);
    return {};
  }
  for (const key of Object.keys(document)) {
    if (key !== 'policies') problems.push(`${key}: not a field of a policy file`);
  }
  const { policies } = document;
  if (policies === undefined || isTree(policies)) return policies ?? {};
  problems.push(`policies: must be an object, got ${shapeOf(policies)}`);
  return {};
}

function resolvePolicy(name: string, override: unknown, problems: string[]): Policy | null {
  const path = `policies.${name}`;
  const origin = originOf(name, override);
  if (origin === undefined || !isTree(override)) {
    const names = defaultPolicies.map((policy) => policy.name).join(', ');
    problems.push(`${path}: must be an object for one of ${names}, or extend one of them (extends: login)`);
    return null;
  }
  const found = schemaProblems(schemaFor(name, origin), override, path);
  problems.push(...found);
  if (found.length > 0) return null;
  const { extends: _, ...values } = override;
  const policy = { ...(merge(origin, values) as Policy), name };
  if (policy.name !== origin.name && override.actions === undefined) {
    problems.push(`${path}.actions: a policy of your own needs actions it is bound to`);
  }
  problems.push(...assertPolicy(policy, path));
  return policy;
}

const builtIn = (name: unknown): Policy | undefined => defaultPolicies.find((policy) => policy.name === name);

function originOf(name: string, override: unknown): Policy | undefined {
  return builtIn(name) ?? (isTree(override) ? builtIn(override.extends) : undefined);
}

function schemaFor(name: string, origin: Policy): Type.TSchema {
  const own = Object.entries(builtInSchemas).find(([known]) => known === name);
  return own ? own[1] : schemaOfKind[origin.kind];
}

function schemaProblems(schema: Type.TSchema, value: Tree, path: string): string[] {
  return Value.Errors(schema, value)
    .filter(({ keyword }) => keyword !== 'additionalProperties' && keyword !== 'anyOf')
    .map(({ keyword, instancePath, message }) => {
      const field = `${path}${instancePath.replaceAll('/', '.')}`;
      if (keyword === 'boolean') return `${field}: not a field of this policy`;
      return `${field}: ${message}, got ${shapeOf(valueAt(value, instancePath))}`;
    });
}

function valueAt(value: unknown, instancePath: string): unknown {
  return instancePath
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (at, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined),
      value,
    );
}

/** Objects are merged field by field; everything else, arrays too, replaces. */
function merge(base: unknown, override: unknown): unknown {
  if (!isTree(base) || !isTree(override)) return override;
  const merged: Record<string, unknown> = { ...base };
  for (const [field, value] of Object.entries(override)) merged[field] = merge(base[field], value);
  return merged;
}
