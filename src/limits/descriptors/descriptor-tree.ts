import type { DescriptorEntry, DomainDocument, RateLimitEntry } from './domain-document.ts';
import { unitNamed, type WindowUnit, windowUnits } from './window-unit.ts';

/** One key and value of a descriptor, as a request shows it. */
export interface DescriptorPair {
  readonly key: string;
  readonly value: string;
}

/** How much may be done in one window of time. */
export interface WindowLimit {
  readonly unit: WindowUnit;
  readonly windowMs: number;
  /** 0 refuses everything. */
  readonly requests: number;
  /** What it is called in the document; null without a name. */
  readonly name: string | null;
  readonly shadow: boolean;
}

/** A rule of the document. A limit of null does not limit; it is there to be told apart from no rule. */
export interface DescriptorRule {
  readonly limit: WindowLimit | null;
  readonly replaces: readonly string[];
  /** Its place in the documents and its limit, as one text: no two rules have the same. */
  readonly id: string;
}

/** The rule that a descriptor meets, and the texts that name its counter: `*` where values share one. */
export interface RuleMatch {
  readonly rule: DescriptorRule;
  readonly pairs: readonly DescriptorPair[];
}

interface Node {
  readonly rule: DescriptorRule | null;
  readonly children: Level | null;
  /** What stands for the value in the name of the counter, where values share one. */
  readonly sharedValue: string | null;
}

interface KeyNodes {
  readonly exact: Map<string, Node>;
  /** In the order of the document; the first that fits wins. */
  readonly wildcards: { readonly prefix: string; readonly node: Node }[];
  any: Node | null;
}

type Level = Map<string, KeyNodes>;

/** The domains of a service, ready to be asked. Documents must have passed `domainProblems`. */
export class DescriptorTree {
  readonly #domains: ReadonlyMap<string, Level>;

  constructor(documents: readonly DomainDocument[]) {
    this.#domains = new Map(
      documents.map(({ domain, descriptors = [] }) => [domain, compileLevel(descriptors, part(domain))]),
    );
  }

  has(domain: string): boolean {
    return this.#domains.has(domain);
  }

  /**
   * The rule for a descriptor: on each level the exact value counts before a `*`, that before a key alone. A rule is met
   * only by a descriptor with as many pairs as the rule has levels. Null when there is none.
   */
  match(domain: string, pairs: readonly DescriptorPair[]): RuleMatch | null {
    let level = this.#domains.get(domain) ?? null;
    let node: Node | null = null;
    let named = pairs;
    for (let index = 0; index < pairs.length; index += 1) {
      const pair = pairs[index];
      if (level === null || pair === undefined) return null;
      node = nodeFor(level, pair);
      if (node === null) return null;
      if (node.sharedValue !== null) named = withValue(named, index, node.sharedValue);
      level = node.children;
    }
    return node === null || node.rule === null ? null : { rule: node.rule, pairs: named };
  }
}

function nodeFor(level: Level, { key, value }: DescriptorPair): Node | null {
  const nodes = level.get(key);
  if (nodes === undefined) return null;
  const exact = nodes.exact.get(value);
  if (exact !== undefined) return exact;
  for (const { prefix, node } of nodes.wildcards) if (value.startsWith(prefix)) return node;
  return nodes.any;
}

function withValue(pairs: readonly DescriptorPair[], at: number, value: string): DescriptorPair[] {
  return pairs.map((pair, index) => (index === at ? { key: pair.key, value } : pair));
}

function compileLevel(descriptors: readonly DescriptorEntry[], above: string): Level {
  const level: Level = new Map();
  for (const descriptor of descriptors) {
    const nodes: KeyNodes = level.get(descriptor.key) ?? { exact: new Map(), wildcards: [], any: null };
    level.set(descriptor.key, nodes);
    const value = descriptor.value === undefined ? null : String(descriptor.value);
    const place = `${above}${part(descriptor.key)}${value === null ? '-' : part(value)}`;
    const node = compileNode(descriptor, value, place);
    if (value === null) nodes.any = node;
    else if (value.endsWith('*')) nodes.wildcards.push({ prefix: value.slice(0, -1), node });
    else nodes.exact.set(value, node);
  }
  return level;
}

/** With its length, so that no two rows of texts are the same when joined. */
const part = (text: string): string => `${text.length}:${text}`;

function compileNode(descriptor: DescriptorEntry, value: string | null, place: string): Node {
  const { rate_limit: limit, descriptors = [], shadow_mode, quota_mode, share_threshold } = descriptor;
  return {
    rule: limit === undefined ? null : compileRule(limit, Boolean(shadow_mode || quota_mode), place),
    children: descriptors.length === 0 ? null : compileLevel(descriptors, place),
    sharedValue: share_threshold ? value : null,
  };
}

function compileRule(entry: RateLimitEntry, shadow: boolean, place: string): DescriptorRule {
  const { unlimited = false, unit = '', requests_per_unit: requests = 0, name, replaces = [] } = entry;
  const known = unlimited ? null : unitNamed(unit);
  return {
    limit:
      known === null
        ? null
        : { unit: known, windowMs: windowUnits[known], requests, name: name ?? null, shadow },
    replaces: replaces.map((replaced) => replaced.name),
    id: `${place}${known}:${requests}`,
  };
}
