import type Type from 'typebox';
import { shapeOf } from '../core/fault.ts';
import { limiterNamespace } from '../core/keys.ts';
import { isName, nameWords } from '../core/names.ts';
import { defaultPolicies, type Policy } from '../core/policy.ts';
import { parseDocument, readText } from './document.ts';
import { builtInSchemas, schemaOfKind } from './policy-schema.ts';
import { policyProblems } from './policy-sense.ts';
import { fieldPath, type Problem, problemsFault, schemaProblems } from './problem.ts';
import { isTree, merge } from './tree.ts';

/** Policies of a file (YAML or JSON). Throws `CONFIG_INVALID` with every problem named. */
export function readPolicyFile(path: string): readonly Policy[] {
  return policiesOf(parseDocument(readText(path), path), path);
}

/**
 * The built-in policies with what `document.policies` says of them, and policies of the user's own that extend one of
 * them. `source` names the document in messages.
 */
export function policiesOf(document: unknown, source: string): readonly Policy[] {
  const problems: Problem[] = [];
  const policies = resolvePolicies(policyTree(document, problems), problems);
  if (problems.length > 0) throw problemsFault(source, problems);
  return policies;
}

function policyTree(document: unknown, problems: Problem[]): unknown {
  if (document === null || document === undefined) return {};
  if (!isTree(document)) {
    problems.push({ path: '', message: `must be an object with "policies", got ${shapeOf(document)}` });
    return {};
  }
  for (const field of Object.keys(document)) {
    if (field !== 'policies') {
      problems.push({ path: fieldPath('', field), message: 'not a field of a policy file' });
    }
  }
  return document.policies;
}

/** The policies of a `policies` section; what is wrong with it is added to `problems`. */
export function resolvePolicies(section: unknown, problems: Problem[]): readonly Policy[] {
  const policies = new Map(defaultPolicies.map((policy) => [policy.name, policy]));
  if (section === undefined) return [...policies.values()];
  if (!isTree(section)) {
    problems.push({ path: 'policies', message: `must be an object, got ${shapeOf(section)}` });
    return [...policies.values()];
  }
  for (const [name, override] of Object.entries(section)) {
    const policy = resolvePolicy(name, override, problems);
    if (policy) policies.set(name, policy);
  }
  problems.push(...sharedActions([...policies.values()]));
  return [...policies.values()];
}

/** An action is bound to one policy, or the guard would not know which. */
function sharedActions(policies: readonly Policy[]): Problem[] {
  const owners = new Map<string, string>();
  return policies.flatMap(({ name, actions }) =>
    actions.flatMap((action) => {
      const owner = owners.get(action);
      owners.set(action, owner ?? name);
      if (owner === undefined || owner === name) return [];
      const path = `${fieldPath('policies', name)}.actions`;
      return [{ path, message: `names an action that policy ${owner} is bound to already` }];
    }),
  );
}

function resolvePolicy(name: string, override: unknown, problems: Problem[]): Policy | null {
  const path = fieldPath('policies', name);
  if (!isPolicyName(name)) {
    problems.push({ path, message: policyNameRule });
    return null;
  }
  const origin = originOf(name, override);
  if (origin === undefined || !isTree(override)) {
    const names = defaultPolicies.map((policy) => policy.name).join(', ');
    const message = `must be an object for one of ${names}, or extend one of them (extends: login)`;
    problems.push({ path, message });
    return null;
  }
  const found = schemaProblems(schemaFor(name, origin), override, path);
  problems.push(...found);
  if (found.length > 0) return null;
  const { extends: _, ...values } = override;
  const policy = { ...(merge(origin, values) as Policy), name };
  if (policy.name !== origin.name && override.actions === undefined) {
    problems.push({ path: `${path}.actions`, message: 'a policy of your own needs actions it is bound to' });
  }
  problems.push(...policyProblems(policy, path));
  return policy;
}

/** Part of every key of the policy, and a label of its numbers. */
const policyNameRule = `a name must be ${nameWords}, and not begin with "${limiterNamespace}"`;

const isPolicyName = (name: string): boolean => isName(name) && !name.startsWith(limiterNamespace);

const builtIn = (name: unknown): Policy | undefined => defaultPolicies.find((policy) => policy.name === name);

function originOf(name: string, override: unknown): Policy | undefined {
  return builtIn(name) ?? (isTree(override) ? builtIn(override.extends) : undefined);
}

function schemaFor(name: string, origin: Policy): Type.TSchema {
  const own = Object.entries(builtInSchemas).find(([known]) => known === name);
  return own ? own[1] : schemaOfKind[origin.kind];
}
