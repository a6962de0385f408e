import { isWhole, wholeWords } from '../core/amounts.ts';
import { amountOf, shapeOf } from '../core/fault.ts';
import { type CredentialPolicy, defaultApi, defaultLogin, type Policy } from '../core/policy.ts';

/** The default with everything that a policy of its kind may have. */
const wholeCredential: CredentialPolicy = {
  ...defaultLogin,
  budget: { ...defaultLogin.budget, guardLevel: 1 },
};

/** Fields of a policy that may be null: the rule is off then. */
const leftOut: ReadonlySet<string> = new Set(['guardLevel', 'spray', 'prefixes']);

/**
 * What a policy given in code lacks, in words; null where nothing is missing. It is held to the default of its kind: a number
 * that is none would switch its rule off, and a time with a fraction would make records that no store can read back. Whether
 * its numbers make sense together is asked where policies are read from files.
 */
export function policyProblem(place: string, policy: Policy): string | null {
  if (typeof policy?.name !== 'string' || !Array.isArray(policy.actions)) {
    return `${place} must be a policy with a name and actions, got ${shapeOf(policy)}`;
  }
  if (policy.kind === 'credential') return problemIn(place, wholeCredential, policy);
  if (policy.kind === 'rate') return problemIn(place, defaultApi, policy);
  return `${place}.kind must be "credential" or "rate", got ${shapeOf(Object(policy).kind)}`;
}

function problemIn(place: string, model: unknown, given: unknown): string | null {
  if (typeof model === 'number') {
    return isWhole(given, 0) ? null : `${place} must be ${wholeWords(0)}, got ${amountOf(given)}`;
  }
  if (typeof model === 'object' && model !== null) return problemInside(place, model, given);
  if (typeof given === typeof model) return null;
  return `${place} must be a ${typeof model}, got ${shapeOf(given)}`;
}

function problemInside(place: string, model: object, given: unknown): string | null {
  const isList = Array.isArray(model);
  if (typeof given !== 'object' || given === null || Array.isArray(given) !== isList) {
    return `${place} must be ${isList ? 'a list' : 'an object'}, got ${shapeOf(given)}`;
  }
  const fields = new Map(Object.entries(given));
  for (const [name, value] of isList ? listed(model, given as readonly unknown[]) : Object.entries(model)) {
    const field = fields.get(name);
    if (field === null && leftOut.has(name)) continue;
    const problem = problemIn(isList ? `${place}[${name}]` : `${place}.${name}`, value, field);
    if (problem !== null) return problem;
  }
  return null;
}

/** Every item is to be as the first one of the model, and there is at least one. */
function listed(model: readonly unknown[], given: readonly unknown[]): [string, unknown][] {
  return Array.from({ length: Math.max(1, given.length) }, (_, index) => [String(index), model[0]]);
}
