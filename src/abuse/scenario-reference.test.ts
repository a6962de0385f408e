import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escalate } from '../core/ladder.ts';
import { cleanStanding, hardBlocked, isHardBlocked, remembered, type Standing } from '../core/standing.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { ScenarioFinding } from './events.ts';
import type { RequestEvent } from './request-event.ts';
import { runScenarios } from './run-scenarios.ts';
import type { DistinctCondition, EventFilter, Scenario, Sign, SignKey } from './scenario.ts';
import { ladder } from './subject-record.ts';

/**
 * What a scenario's definition says, written down without regard to cost: every event is kept, every filter is tried, every
 * count is taken anew. The scenarios themselves must find the same, whatever they do to be fast.
 */

const minute = 60_000;
const start = 1_700_000_000_000;

const kinds: readonly SignKey[] = ['client', 'user', 'network', 'range', 'headers', 'fingerprint'];
const notInOrder = new Set(['host', 'cookie']);

const statusMatches = (pattern: string, status: number): boolean =>
  pattern.endsWith('xx') ? Math.floor(status / 100) === Number(pattern[0]) : Number(pattern) === status;

const orderOf = ({ headerNames }: RequestEvent): string | null =>
  headerNames
    ? headerNames
        .map((name) => name.toLowerCase())
        .filter((name) => !notInOrder.has(name))
        .join()
    : null;
const pathOf = ({ path }: RequestEvent): string => path.split('?')[0] ?? '';
const agentOf = ({ ua }: RequestEvent): string => (ua === 'Chrome/119.0' ? 'chrome/119' : 'other/0');
const idOf = (event: RequestEvent): string | null => pathOf(event).match(/\d+$/)?.[0] ?? null;
const routeOf = (event: RequestEvent): string => pathOf(event).replace(/\d+$/, ':id');

function whoOf(kind: SignKey, event: RequestEvent): string | null {
  const order = orderOf(event);
  const family = agentOf(event).split('/')[0];
  if (kind === 'client') return event.user ?? `${event.ip} ${agentOf(event)}`;
  if (kind === 'user') return event.user ?? null;
  if (kind === 'network') return event.ip;
  if (kind === 'range') return event.ip.slice(0, 5);
  return order === null || kind === 'headers' ? order : `${family} ${order}`;
}

function shownBy(of: DistinctCondition['of'], event: RequestEvent): string | null {
  if (of === 'path') return pathOf(event);
  if (of === 'target') return event.path;
  if (of === 'route') return routeOf(event);
  if (of === 'id') return idOf(event) === null ? null : `${routeOf(event)} ${idOf(event)}`;
  return of === 'agent' ? agentOf(event) : whoOf(of, event);
}

function matches(filter: EventFilter, event: RequestEvent): boolean {
  const { methods, status, signedIn, headers, query, assets, id } = filter;
  const names = event.headerNames?.map((name) => name.toLowerCase());
  const method = event.method.toUpperCase().replace('HEAD', 'GET');
  const parameters = [...new URLSearchParams(event.path.split('?')[1] ?? '')];
  return (
    (methods?.includes(method) ?? true) &&
    (status?.some((pattern) => statusMatches(pattern, event.status ?? 0)) ?? true) &&
    (signedIn === undefined || signedIn === (event.user !== null)) &&
    (headers?.with?.every((name) => names?.includes(name)) ?? true) &&
    !headers?.without?.some((name) => names?.includes(name)) &&
    (query?.some((one) =>
      parameters.some(([name, text]) => one.names.includes(name) && Number(text) >= (one.from ?? 0)),
    ) ??
      true) &&
    (assets === undefined || assets === /\.(css|js)$/.test(pathOf(event))) &&
    (id === undefined || id === (idOf(event) !== null))
  );
}

function isBlind({ key, filter, distinct = [] }: Sign, { headerNames }: RequestEvent): boolean {
  const rests = [key, ...distinct.map(({ of }) => of)].some((kind) => /headers|fingerprint/.test(kind));
  return !headerNames && (rests || filter?.headers !== undefined);
}

interface Novelty {
  since: number;
  now: { fresh: number; total: number };
  before: { fresh: number; total: number };
}

/** Everything that was counted for one sign and key, newest last. */
class Tally {
  readonly strict: boolean;
  at = 0;
  #level = 0;
  readonly #seen: { readonly at: number; readonly values: readonly string[] }[] = [];
  readonly #novelties = new Map<number, Novelty>();

  constructor(strict: boolean) {
    this.strict = strict;
  }

  /** Whether the sign holds with this event. */
  add(sign: Sign, values: readonly string[], now: number): boolean {
    const scale = this.strict ? 0.25 : 1;
    const isFull = sign.bucket === undefined || this.#pour(sign.bucket, scale, now);
    const conditions = (sign.distinct ?? []).map((condition, index) => {
      const least = condition.atLeast === undefined ? 0 : Math.max(2, Math.ceil(condition.atLeast * scale));
      const most = condition.atMost === undefined ? least : condition.atMost + 1;
      const recent = this.#recent(index, most, now - condition.windowMs);
      const value = values[index] ?? '';
      const share = this.#share(index, !recent.has(value), now, condition.windowMs);
      const count = Math.min(most, recent.add(value).size);
      return count >= least && count <= (condition.atMost ?? count) && share >= (condition.share ?? 0);
    });
    this.at = now;
    this.#seen.push({ at: now, values });
    return isFull && conditions.every(Boolean);
  }

  #pour({ capacity, leakPerMinute }: NonNullable<Sign['bucket']>, scale: number, now: number): boolean {
    this.#level = Math.max(0, this.#level - leakPerMinute * scale * (now - (this.at || now)));
    if (this.#level + minute > Math.ceil(capacity * scale) * minute) return true;
    this.#level += minute;
    return false;
  }

  /** The values seen last within the window, at most so many. */
  #recent(index: number, most: number, after: number): Set<string> {
    const recent = new Set<string>();
    for (const { at, values } of [...this.#seen].reverse()) {
      if (at > after && recent.size < most) recent.add(values[index] ?? '');
    }
    return recent;
  }

  /** The present window and what is left of the one before it. */
  #share(index: number, isFresh: boolean, now: number, windowMs: number): number {
    const none = { fresh: 0, total: 0 };
    let novelty = this.#novelties.get(index) ?? { since: now, now: { ...none }, before: { ...none } };
    if (now >= novelty.since + 2 * windowMs) novelty = { since: now, now: { ...none }, before: { ...none } };
    else if (now >= novelty.since + windowMs)
      novelty = { since: novelty.since + windowMs, now: { ...none }, before: novelty.now };
    novelty.now.total += 1;
    if (isFresh) novelty.now.fresh += 1;
    this.#novelties.set(index, novelty);
    const left = Math.max(0, 1 - (now - novelty.since) / windowMs);
    const total = novelty.now.total + left * novelty.before.total;
    return (novelty.now.fresh + left * novelty.before.fresh) / total;
  }
}

interface Subject {
  standing: Standing;
  readonly degradedUntil: Map<string, number>;
}

class Reference {
  readonly #scenarios: readonly Scenario[];
  readonly #subjects = new Map<string, Subject>();
  readonly #tallies = new Map<string, Tally>();

  constructor(scenarios: readonly Scenario[]) {
    this.#scenarios = scenarios;
  }

  observe(event: RequestEvent, now: number): ScenarioFinding[] {
    const findings: ScenarioFinding[] = [];
    for (const kind of kinds) {
      const who = whoOf(kind, event);
      if (who === null) continue;
      const name = `${kind} ${who}`;
      const subject = this.#subjects.get(name) ?? { standing: cleanStanding, degradedUntil: new Map() };
      this.#subjects.set(name, subject);
      if (isHardBlocked(subject.standing, now)) continue;
      for (const scenario of this.#scenarios) {
        for (const [index, sign] of [scenario, ...(scenario.or ?? [])].entries()) {
          if (sign.key !== kind || isBlind(sign, event)) continue;
          const place = `${name} ${scenario.name} ${index} ${sign.perRoute ? routeOf(event) : ''}`;
          if (!this.#holds(place, scenario, sign, subject, event, now, findings.length === 0)) continue;
          findings.push(this.#respond(scenario, kind, subject, now));
        }
      }
    }
    return findings;
  }

  #holds(
    place: string,
    { name }: Scenario,
    sign: Sign,
    { degradedUntil }: Subject,
    event: RequestEvent,
    now: number,
    mayHold: boolean,
  ): boolean {
    const values = (sign.distinct ?? []).map(({ of }) => shownBy(of, event));
    if (values.includes(null)) return false;
    if (!matches(sign.filter ?? {}, event)) {
      if (sign.clearedBy !== undefined && matches(sign.clearedBy, event)) this.#tallies.delete(place);
      return false;
    }
    const strict = now < (degradedUntil.get(name) ?? 0);
    const known = this.#tallies.get(place);
    const isLive = known !== undefined && known.strict === strict && now < known.at + keepMsOf(sign);
    const tally = isLive ? known : new Tally(strict);
    this.#tallies.set(place, tally);
    const holds = tally.add(sign, values.map(String), now) && mayHold;
    if (holds) this.#tallies.delete(place);
    return holds;
  }

  #respond({ name, shadow = false }: Scenario, key: SignKey, subject: Subject, now: number): ScenarioFinding {
    const finding = { scenario: name, key, shadow };
    if (now >= (subject.degradedUntil.get(name) ?? 0)) {
      subject.degradedUntil.set(name, now + 10 * minute);
      return { ...finding, what: 'degraded', until: now + 10 * minute };
    }
    subject.degradedUntil.delete(name);
    if (shadow) return { ...finding, what: 'blocked', until: null };
    const level = escalate(3, remembered(subject.standing, now, ladder), ladder.maxLevel);
    subject.standing = hardBlocked(subject.standing, level, now, ladder);
    return { ...finding, what: 'blocked', until: subject.standing.hardUntil };
  }
}

function keepMsOf({ bucket, distinct = [] }: Sign): number {
  const drainMs = bucket === undefined ? 0 : (bucket.capacity / bucket.leakPerMinute) * minute;
  const windows = distinct.map(({ windowMs, share }) => (share === undefined ? windowMs : 2 * windowMs));
  return Math.ceil(Math.max(drainMs, ...windows)) + 1;
}

/** Small numbers, so that random traffic meets them; every kind of key, filter and condition is there. */
const scenarios: readonly Scenario[] = [
  {
    name: 'paths',
    filter: { status: ['404'], assets: false },
    key: 'client',
    distinct: [{ of: 'path', atLeast: 6, windowMs: minute }],
    bucket: { capacity: 6, leakPerMinute: 8 },
    or: [
      {
        filter: { status: ['404'], signedIn: false },
        key: 'network',
        bucket: { capacity: 30, leakPerMinute: 16 },
      },
      { key: 'user', filter: { signedIn: true }, bucket: { capacity: 30, leakPerMinute: 8 } },
    ],
  },
  {
    name: 'ids',
    filter: { id: true },
    key: 'client',
    perRoute: true,
    distinct: [{ of: 'id', atLeast: 8, windowMs: minute, share: 0.5 }],
  },
  {
    name: 'writes',
    filter: { methods: ['POST'], status: ['4xx'] },
    key: 'client',
    bucket: { capacity: 2, leakPerMinute: 4 },
    clearedBy: { methods: ['POST'], status: ['2xx', '3xx'] },
  },
  {
    name: 'same',
    filter: { methods: ['GET'] },
    key: 'client',
    distinct: [{ of: 'target', atMost: 12, windowMs: minute }],
    bucket: { capacity: 6, leakPerMinute: 12 },
  },
  {
    name: 'far',
    filter: { status: ['200', '3xx'], query: [{ names: ['page'], from: 2 }] },
    key: 'range',
    distinct: [{ of: 'client', atLeast: 2, windowMs: minute }],
    bucket: { capacity: 2, leakPerMinute: 4 },
  },
  {
    name: 'crowd',
    filter: { headers: { without: ['accept-language'] } },
    key: 'headers',
    distinct: [{ of: 'client', atLeast: 4, windowMs: minute }],
  },
  { name: 'twins', key: 'fingerprint', bucket: { capacity: 20, leakPerMinute: 20 } },
  { name: 'watched', key: 'client', bucket: { capacity: 8, leakPerMinute: 8 }, shadow: true },
];

const anyEvent: fc.Arbitrary<RequestEvent & { readonly gapMs: number }> = fc.record({
  gapMs: fc.oneof(
    { weight: 40, arbitrary: fc.integer({ min: 0, max: 900 }) },
    { weight: 1, arbitrary: fc.constantFrom(30_000, 59_999, 60_000, 60_001, 700_000, 3_600_000) },
  ),
  method: fc.constantFrom('GET', 'POST', 'HEAD', 'PURGE', 'get', 'post', 'head'),
  path: fc.oneof(
    fc.integer({ min: 0, max: 40 }).map((id) => `/items/${id}`),
    fc.integer({ min: 0, max: 20 }).map((id) => `/users/${id}`),
    fc.integer({ min: 0, max: 3 }).map((page) => `/list?page=${page}`),
    fc.constantFrom('/', '/a', '/b', '/a.css', '/b.js?v=1'),
  ),
  status: fc.constantFrom(200, 201, 304, 404, 422, 500, null),
  ip: fc.constantFrom('192.0.2.1', '192.0.2.1', '192.0.2.2', '198.51.100.7'),
  ua: fc.constantFrom('Chrome/119.0', 'curl/8', null),
  user: fc.constantFrom(null, null, 'u1'),
  headerNames: fc.constantFrom(
    null,
    ['Host', 'User-Agent'],
    ['Host', 'Cookie', 'User-Agent'],
    ['Accept-Language', 'User-Agent'],
  ),
});
const anyTraffic = fc.array(anyEvent, { minLength: 100, maxLength: 300, size: 'max' });

function bothJudge(traffic: readonly (RequestEvent & { readonly gapMs: number })[]) {
  let now = start;
  const store = createMemoryStore({ clock: () => now });
  const run = runScenarios(store.immediate, { secret: 'sixteen bytes or more', scenarios });
  const reference = new Reference(scenarios);
  return traffic.map((event) => {
    now += event.gapMs;
    return { found: run.observe(event, now), expected: reference.observe(event, now) };
  });
}

describe('scenarios', () => {
  it('find what their definitions say, whatever comes', () => {
    fc.assert(
      fc.property(anyTraffic, (traffic) => {
        const judged = bothJudge(traffic);
        expect(judged.map(({ found }) => found)).toEqual(judged.map(({ expected }) => expected));
      }),
      { numRuns: 30 },
    );
  });

  it('are all met by that traffic, to degrade and to block', () => {
    const told = fc.sample(anyTraffic, { numRuns: 25, seed: 7 }).flatMap(bothJudge);
    const met = new Set(
      told.flatMap(({ found }) => found.map(({ scenario, what }) => `${scenario} ${what}`)),
    );
    expect([...met].sort()).toEqual(
      scenarios.flatMap(({ name }) => [`${name} blocked`, `${name} degraded`]).sort(),
    );
  });
});
