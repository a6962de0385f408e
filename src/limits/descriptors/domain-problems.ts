import { Fault, shapeOf } from '../../core/fault.ts';
import type { DomainDocument } from './domain-document.ts';
import {
  type DomainProblem,
  type FieldRules,
  type Fields,
  fields,
  flag,
  integer,
  judgeFields,
  list,
  needed,
  scalar,
  text,
} from './field-rules.ts';
import { unitNamed, windowUnits } from './window-unit.ts';

/** Deeper trees are taken for a mistake; the walk below is recursive. */
const deepest = 16;

/** How much a document may say. */
export const domainBounds = {
  /** Characters of a domain, a key and the name of a limit. */
  nameChars: 256,
  valueChars: 1_024,
  /** On one level. */
  descriptors: 10_000,
  requests: 2 ** 32 - 1,
  replaces: 100,
} as const;

const name = text(1, domainBounds.nameChars);
const descriptorList = list(domainBounds.descriptors);

const domainFields: FieldRules = { domain: needed(name), descriptors: descriptorList };
const descriptorFields: FieldRules = {
  key: needed(name),
  value: scalar(domainBounds.valueChars),
  rate_limit: fields,
  descriptors: descriptorList,
  shadow_mode: flag,
  quota_mode: flag,
  share_threshold: flag,
  detailed_metric: flag,
  value_to_metric: flag,
};
const limitFields: FieldRules = {
  unit: text(1, 16),
  requests_per_unit: integer(0, domainBounds.requests),
  unlimited: flag,
  name,
  replaces: list(domainBounds.replaces),
};
const replacedFields: FieldRules = { name: needed(name) };

/**
 * Everything that is wrong with a list of documents in the form of Envoy's rate limit service. Empty when they can be
 * used. `path` is where the list stands: `envoy`.
 */
export function domainProblems(documents: unknown, path: string): readonly DomainProblem[] {
  if (!Array.isArray(documents)) return [{ path, message: `must be a list, got ${shapeOf(documents)}` }];
  const problems: DomainProblem[] = [];
  const domains = new Set<unknown>();
  documents.forEach((document: unknown, index) => {
    const place = `${path}[${index}]`;
    if (!judgeFields(document, domainFields, place, problems)) return;
    if (domains.has(document.domain)) {
      problems.push({ path: `${place}.domain`, message: 'stands twice; a domain is one document' });
    }
    domains.add(document.domain);
    judgeLevel(document.descriptors, place, 1, problems);
  });
  return problems;
}

/** @throws Fault `CONFIG_INVALID` that names every problem. */
export function assertDomains(
  documents: unknown,
  path: string,
): asserts documents is readonly DomainDocument[] {
  const problems = domainProblems(documents, path);
  if (problems.length === 0) return;
  throw new Fault(
    'CONFIG_INVALID',
    problems.map((problem) => `${problem.path}: ${problem.message}`).join('; '),
  );
}

function judgeLevel(descriptors: unknown, path: string, depth: number, problems: DomainProblem[]): void {
  if (!Array.isArray(descriptors)) return;
  if (depth > deepest) {
    problems.push({ path: `${path}.descriptors`, message: `is nested deeper than ${deepest} levels` });
    return;
  }
  const seen = new Map<unknown, Set<string | undefined>>();
  descriptors.forEach((descriptor: unknown, index) => {
    const place = `${path}.descriptors[${index}]`;
    if (!judgeFields(descriptor, descriptorFields, place, problems)) return;
    const values = seen.get(descriptor.key) ?? new Set();
    const value = descriptor.value === undefined ? undefined : String(descriptor.value);
    if (values.has(value)) {
      problems.push({ path: place, message: 'the same key and value stand twice on this level' });
    }
    seen.set(descriptor.key, values.add(value));
    judgeDescriptor(descriptor, place, problems);
    judgeLevel(descriptor.descriptors, place, depth + 1, problems);
  });
}

function judgeDescriptor(descriptor: Fields, place: string, problems: DomainProblem[]): void {
  const { value, rate_limit: limit, share_threshold: shared } = descriptor;
  if (value === '') {
    problems.push({ path: `${place}.value`, message: 'is empty; leave it out to match any value' });
  }
  if (shared === true && !String(value ?? '').endsWith('*')) {
    const message = 'is only for a value that ends with "*"';
    problems.push({ path: `${place}.share_threshold`, message });
  }
  const path = `${place}.rate_limit`;
  if (limit !== undefined && judgeFields(limit, limitFields, path, problems))
    judgeLimit(limit, path, problems);
}

function judgeLimit(limit: Fields, path: string, problems: DomainProblem[]): void {
  const { unit, requests_per_unit: requests, unlimited, name, replaces } = limit;
  const demand = (holds: boolean, field: string, message: string) => {
    if (!holds) problems.push({ path: `${path}${field}`, message });
  };
  if (unlimited === true) {
    demand(
      unit === undefined && requests === undefined,
      '',
      'unlimited: has neither unit nor requests_per_unit',
    );
  } else {
    const units = Object.keys(windowUnits).join(', ');
    const isUnit = typeof unit === 'string' && unitNamed(unit) !== null;
    demand(isUnit, '.unit', `must be one of ${units}, got ${shapeOf(unit)}`);
    demand(requests !== undefined, '.requests_per_unit', 'must be a whole number from 0, got nothing');
  }
  if (!Array.isArray(replaces)) return;
  replaces.forEach((replaced: unknown, index) => {
    const place = `${path}.replaces[${index}]`;
    if (!judgeFields(replaced, replacedFields, place, problems)) return;
    demand(replaced.name !== name, `.replaces[${index}]`, 'a limit cannot replace itself');
  });
}
