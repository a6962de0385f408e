import { type PathPattern, patternMatches, toPathPattern } from '../limits/path-pattern.ts';
import type { Facts } from './facts.ts';
import type { EventFilter, QueryFilter } from './scenario.ts';

/** A filter, ready to match. */
export interface CompiledFilter {
  matches(facts: Facts): boolean;
  /**
   * Whether an event of this method, upper case, and status may match: what can be known before anything else of it is
   * looked at.
   */
  admits(method: string, status: number): boolean;
  /** Whether all the rest holds, for an event that is admitted. */
  holds(facts: Facts): boolean;
  /** The methods it names, upper case; null where it names none. */
  readonly methods: ReadonlySet<string> | null;
  /** Whether the filter is about whom the caller is (signed in, its headers), apart from what it does. */
  concerns(facts: Facts): boolean;
  readonly needsHeaders: boolean;
}

type Test = (facts: Facts) => boolean;

/** The cheapest tests come first: most events fail one of them. */
export function compileFilter(filter: EventFilter = {}): CompiledFilter {
  const about: Test[] = [];
  const caller: Test[] = [];
  const { status, assets, id, signedIn, headers, query, paths, notPaths } = filter;
  const methods = filter.methods === undefined ? null : methodSet(filter.methods);
  const hasStatus = status === undefined ? () => true : statusTest(status);
  if (signedIn !== undefined) caller.push((facts) => facts.isSignedIn === signedIn);
  if (headers !== undefined) caller.push(headerTest(headers.with ?? [], headers.without ?? []));
  if (query !== undefined) about.push(queryTest(query));
  if (assets !== undefined) about.push((facts) => facts.isAsset === assets);
  if (paths !== undefined) about.push(pathTest(paths, true));
  if (notPaths !== undefined) about.push(pathTest(notPaths, false));
  if (id !== undefined) about.push((facts) => (facts.id !== null) === id);
  const all = [...about, ...caller];
  const admits = (method: string, code: number) => (methods?.has(method) ?? true) && hasStatus(code);
  return {
    matches: (facts) => admits(facts.method, facts.event.status ?? 0) && holdAll(all, facts),
    admits,
    holds: (facts) => holdAll(all, facts),
    concerns: (facts) => holdAll(caller, facts),
    methods,
    needsHeaders: headers !== undefined,
  };
}

function holdAll(tests: readonly Test[], facts: Facts): boolean {
  for (const test of tests) if (!test(facts)) return false;
  return true;
}

function statusTest(status: readonly string[]): (code: number) => boolean {
  const exact = new Set(status.filter((text) => !text.endsWith('xx')).map(Number));
  const classes = new Set(status.filter((text) => text.endsWith('xx')).map((text) => Number(text[0])));
  return (code) => exact.has(code) || classes.has(Math.floor(code / 100));
}

/** A `HEAD` counts as the `GET` it stands for. */
function methodSet(methods: readonly string[]): ReadonlySet<string> {
  const set = new Set(methods.map((method) => method.toUpperCase()));
  if (set.has('GET')) set.add('HEAD');
  return set;
}

function headerTest(present: readonly string[], absent: readonly string[]): Test {
  const wanted = present.map((name) => name.toLowerCase());
  const unwanted = absent.map((name) => name.toLowerCase());
  return ({ headers }) =>
    headers !== null &&
    wanted.every((name) => headers.has(name)) &&
    !unwanted.some((name) => headers.has(name));
}

function queryTest(filters: readonly QueryFilter[]): Test {
  const rangesOf = new Map<string, QueryFilter[]>();
  for (const range of filters) {
    for (const name of range.names) {
      const key = name.toLowerCase();
      rangesOf.set(key, [...(rangesOf.get(key) ?? []), range]);
    }
  }
  return (facts) => {
    if (!facts.hasQuery) return false;
    for (const [name, value] of facts.query) {
      const ranges =
        rangesOf.get(name) ?? (name.endsWith(']') ? rangesOf.get(name.replace(listMark, '')) : undefined);
      if (ranges?.some((range) => isInRange(range, value))) return true;
    }
    return false;
  };
}

/** Some servers make a list of `page[]=7`, and handlers the number of a list that holds one. */
const listMark = /\[\d*\]$/;

function isInRange({ from, below }: QueryFilter, value: string): boolean {
  if (from === undefined && below === undefined) return true;
  // Handlers read `120x` as 120, so it must not hide. Where what is large is something else, a date begins with a number too.
  const number = below === undefined ? leadingNumber(value) : exactNumber(value);
  return number >= (from ?? Number.NEGATIVE_INFINITY) && (below === undefined || number < below);
}

function exactNumber(value: string): number {
  return value === '' ? Number.NaN : Number(value);
}

function leadingNumber(value: string): number {
  const exact = exactNumber(value);
  return Number.isNaN(exact) ? Number.parseInt(value, 10) : exact;
}

function pathTest(paths: readonly string[], wanted: boolean): Test {
  const patterns: readonly PathPattern[] = paths.map(toPathPattern);
  return (facts) => patterns.some((pattern) => patternMatches(pattern, facts.segments)) === wanted;
}
