import { resolve } from 'node:path';
import { Fault } from '../core/fault.ts';
import type { DomainDocument } from '../limits/descriptors/domain-document.ts';
import { parseDocument, readText } from './document.ts';
import { envoyProblems } from './envoy-schema.ts';
import type { Problem } from './problem.ts';
import { isTree } from './tree.ts';

/** Where a document lies. */
export interface DocumentFolder {
  /** Relative paths start here. */
  readonly folder: string;
  /** Where the files that the document names are noted. */
  readonly files?: Set<string>;
}

/** Domains of the document itself and of the files it names. */
export function readEnvoy(
  section: unknown,
  place: DocumentFolder,
  problems: Problem[],
): readonly DomainDocument[] {
  if (!Array.isArray(section)) return [];
  const domains = section.map((entry: unknown, index): unknown => {
    const path = `envoy[${index}]`;
    const value =
      typeof entry === 'string' ? readEnvoyFile(resolve(place.folder, entry), path, place, problems) : entry;
    if (value !== undefined) problems.push(...envoyProblems(value, path));
    return value;
  });
  const names = new Set<unknown>();
  domains.forEach((domain, index) => {
    if (!isTree(domain)) return;
    if (names.has(domain.domain)) {
      problems.push({ path: `envoy[${index}].domain`, message: 'is the domain of one before it' });
    }
    names.add(domain.domain);
  });
  return domains.filter(isDomain).map((domain) => ({ ...domain, descriptors: domain.descriptors ?? [] }));
}

/** Its fields are checked before; where they were wrong, nobody gets to see it. */
const isDomain = (value: unknown): value is DomainDocument => isTree(value);

function readEnvoyFile(path: string, field: string, place: DocumentFolder, problems: Problem[]): unknown {
  place.files?.add(path);
  try {
    return parseDocument(readText(path), path);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    problems.push({ path: field, message: cause.message });
    return undefined;
  }
}
