import { outOfRange, wholeWords } from '../../core/amounts.ts';
import { assertName } from '../../core/names.ts';
import type { Records } from '../../core/records.ts';
import type { Secrets } from '../../identity/component-hasher.ts';
import { harmless } from '../../listeners/listener-warnings.ts';
import type { Store } from '../../stores/store.ts';
import type { LimitEvent } from '../events.ts';
import { type Answered, type LimitMode, StoreFallback } from '../store-fallback.ts';
import { type Counted, countHits } from './count-hits.ts';
import { createDescriptorKeys, type DescriptorKeys } from './descriptor-keys.ts';
import { type DescriptorPair, DescriptorTree, type WindowLimit } from './descriptor-tree.ts';
import type { DomainDocument } from './domain-document.ts';
import { assertDomains } from './domain-problems.ts';
import { type WindowUnit, windowUnits } from './window-unit.ts';

/** One descriptor of a request. */
export interface Descriptor {
  readonly pairs: readonly DescriptorPair[];
  /** Instead of the limit that is configured. */
  readonly limit?: { readonly unit: WindowUnit; readonly requests: number } | null | undefined;
  /** Added to the counter: 0 only looks, less than 0 gives back. */
  readonly hits: number;
}

/** How one descriptor stands. */
export interface DescriptorStatus {
  readonly over: boolean;
  /** Null: nothing limits it. */
  readonly limit: WindowLimit | null;
  /** Null where it is unlimited by name; 0 where no rule is met. */
  readonly remaining: number | null;
  readonly resetMs: number;
}

/** The answer to a request: over as soon as one of its descriptors is. */
export interface DescriptorVerdict {
  readonly over: boolean;
  /** In the order of the request. */
  readonly statuses: readonly DescriptorStatus[];
  readonly mode: LimitMode;
}

/** What is told of a descriptor that is over its limit. Carries no value of it. */
export interface OverLimitEvent {
  readonly type: 'over-limit';
  readonly domain: string;
  /** The limit's name in the document, or null. */
  readonly limit: string | null;
  readonly unit: WindowUnit;
  readonly hits: number;
  /** Until the window ends. */
  readonly resetMs: number;
  /** True when the limit runs in shadow: the request went on. */
  readonly shadow: boolean;
}

export type DescriptorEvent = OverLimitEvent | StoreEvent;

type StoreEvent = Extract<LimitEvent, { type: 'store-failed' | 'store-recovered' | 'record-corrupt' }>;

const isOfStore = (event: LimitEvent): event is StoreEvent =>
  event.type === 'store-failed' || event.type === 'store-recovered' || event.type === 'record-corrupt';

/** How a descriptor limiter is made. */
export interface DescriptorLimiterOptions extends Secrets {
  readonly store: Store;
  /** Documents in the form of Envoy's rate limit service. */
  readonly domains: readonly DomainDocument[];
  /** Part of every key. Default `default`. */
  readonly environment?: string | undefined;
  readonly onEvent?: ((event: DescriptorEvent) => void) | undefined;
  /** Time in ms while the store fails. Default `Date.now`. */
  readonly clock?: (() => number) | undefined;
}

/** Limits by domain and descriptors, as Envoy's rate limit service does. */
export interface DescriptorLimiter {
  /**
   * Counts every descriptor and says which are over. Without a rule, and in an unknown domain, nothing is limited.
   * Throws `INPUT_INVALID` when hits are not a whole number.
   */
  decide(domain: string, descriptors: readonly Descriptor[]): Promise<DescriptorVerdict>;
  /** The same, at once where the store can: a promise for each request costs more than counting. */
  decideSoon(
    domain: string,
    descriptors: readonly Descriptor[],
  ): DescriptorVerdict | Promise<DescriptorVerdict>;
  /**
   * Makes other documents ready and changes nothing; what it gives has them count from then on. Counters go on. Throws
   * `CONFIG_INVALID` when they are wrong.
   */
  prepare(domains: readonly DomainDocument[]): () => void;
}

/** @throws Fault `CONFIG_INVALID` when a document or an option is wrong; the message names it. */
export function createDescriptorLimiter(options: DescriptorLimiterOptions): DescriptorLimiter {
  return new WindowLimiter(options);
}

interface Rule {
  readonly limit: WindowLimit | null;
  readonly pairs: readonly DescriptorPair[];
  /** What tells it from other limits. */
  readonly id: string;
}

const unlimited: DescriptorStatus = { over: false, limit: null, remaining: null, resetMs: 0 };
const noRule: DescriptorStatus = { over: false, limit: null, remaining: 0, resetMs: 0 };

class WindowLimiter implements DescriptorLimiter {
  readonly #store: StoreFallback;
  readonly #keys: DescriptorKeys;
  readonly #onEvent: (event: DescriptorEvent) => void;
  #tree: DescriptorTree;

  constructor(options: DescriptorLimiterOptions) {
    const { domains, environment = 'default', clock = Date.now } = options;
    const onEvent = options.onEvent === undefined ? () => {} : harmless('descriptors', options.onEvent);
    assertName('environment', environment);
    this.#onEvent = onEvent;
    this.#keys = createDescriptorKeys(environment, options);
    this.#tree = treeOf(domains);
    this.#store = new StoreFallback(options.store, clock, (event) => {
      if (isOfStore(event)) onEvent(event);
    });
  }

  prepare(domains: readonly DomainDocument[]): () => void {
    const tree = treeOf(domains);
    return () => {
      this.#tree = tree;
    };
  }

  async decide(domain: string, descriptors: readonly Descriptor[]): Promise<DescriptorVerdict> {
    return this.decideSoon(domain, descriptors);
  }

  decideSoon(
    domain: string,
    descriptors: readonly Descriptor[],
  ): DescriptorVerdict | Promise<DescriptorVerdict> {
    for (const { hits } of descriptors) assertHits(hits);
    const rules = this.#rulesFor(domain, descriptors);
    const answers = rules.map((rule, index) => this.#count(domain, rule, descriptors[index]?.hits ?? 1));
    return areHere(answers) ? verdictOf(answers) : Promise.all(answers).then(verdictOf);
  }

  /** The rule of each descriptor; a rule that another one of the request replaces does not count. */
  #rulesFor(domain: string, descriptors: readonly Descriptor[]): (Rule | null)[] {
    if (!this.#tree.has(domain)) return descriptors.map(() => null);
    const replaced = new Set<string>();
    const rules = descriptors.map(({ pairs, limit }): Rule | null => {
      if (limit) return { limit: overriding(limit), pairs, id: `${limit.unit}:${limit.requests}:${domain}` };
      const match = this.#tree.match(domain, pairs);
      if (match === null) return null;
      for (const name of match.rule.replaces) replaced.add(name);
      return { limit: match.rule.limit, pairs: match.pairs, id: match.rule.id };
    });
    if (replaced.size === 0) return rules;
    return rules.map((rule) => (rule?.limit?.name && replaced.has(rule.limit.name) ? null : rule));
  }

  #count(
    domain: string,
    rule: Rule | null,
    hits: number,
  ): Answered<DescriptorStatus> | Promise<Answered<DescriptorStatus>> {
    if (rule === null) return { value: noRule, mode: 'NORMAL' };
    const { limit, pairs, id } = rule;
    if (limit === null) return { value: unlimited, mode: 'NORMAL' };
    const { windowMs, requests } = limit;
    const ask = { key: this.#keys(domain, pairs, limit.unit), windowMs, requests, hits };
    const step = (records: Records, now: number) => countHits(records, ask, now);
    const keys = [ask.key];
    const answered = this.#store.transactAtOnce(keys, step, id);
    if (answered !== null) return this.#judge(domain, limit, hits, answered);
    return this.#store.transact(keys, step, (later) => this.#judge(domain, limit, hits, later), id);
  }

  #judge(
    domain: string,
    limit: WindowLimit,
    hits: number,
    { value, mode }: Answered<Counted>,
  ): Answered<DescriptorStatus> {
    const { over, remaining, resetMs } = value;
    const { name, unit, shadow } = limit;
    if (over) this.#onEvent({ type: 'over-limit', domain, limit: name, unit, hits, resetMs, shadow });
    return { value: { over: over && !shadow, limit, remaining, resetMs }, mode };
  }
}

function areHere<T extends object>(answers: readonly (T | Promise<T>)[]): answers is readonly T[] {
  return answers.every((answer) => !(answer instanceof Promise));
}

function verdictOf(answers: readonly Answered<DescriptorStatus>[]): DescriptorVerdict {
  return {
    over: answers.some(({ value }) => value.over),
    statuses: answers.map(({ value }) => value),
    mode: answers.some(({ mode }) => mode === 'FAIL_OPEN') ? 'FAIL_OPEN' : 'NORMAL',
  };
}

function treeOf(domains: readonly DomainDocument[]): DescriptorTree {
  assertDomains(domains, 'envoy');
  return new DescriptorTree(domains);
}

/** A limit that comes with the request is never in shadow. */
function overriding({ unit, requests }: { unit: WindowUnit; requests: number }): WindowLimit {
  return { unit, windowMs: windowUnits[unit], requests, name: null, shadow: false };
}

function assertHits(hits: number): void {
  if (Number.isSafeInteger(hits)) return;
  throw outOfRange('INPUT_INVALID', 'hits', wholeWords(), hits);
}
