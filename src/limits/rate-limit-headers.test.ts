import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { retryAfterSeconds } from '../core/duration.ts';
import { limitProblem } from './problem.ts';
import { formatLimits, formatPolicies, rateLimitHeaders } from './rate-limit-headers.ts';
import type { Verdict } from './verdict.ts';

const vectors = new URL('../../../shared/data/ratelimit-headers.json', import.meta.url);

interface Example {
  readonly field: 'RateLimit' | 'RateLimit-Policy';
  readonly value: string;
}

interface Item {
  readonly name: string;
  readonly params: Readonly<Record<string, string>>;
}

/** Reads the examples independently of what wrote them: items of a list, each a string with parameters. */
function parse(value: string): Item[] | null {
  const items = value.split(/,\s*/).map((text) => text.match(/^"([^"]*)"((?:;[a-z]+=[^;]+)*)$/));
  if (items.includes(null)) return null;
  return items.map((item) => ({
    name: item?.[1] ?? '',
    params: Object.fromEntries(
      [...(item?.[2] ?? '').matchAll(/;([a-z]+)=([^;]+)/g)].map(([, key = '', text = '']) => [key, text]),
    ),
  }));
}

const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));
const bareOf = (text: string | undefined) => text?.slice(1, -1);

function rewrite(field: Example['field'], items: readonly Item[]): string {
  if (field === 'RateLimit') {
    return formatLimits(
      items.map(({ name, params }) => ({
        policy: name,
        remaining: Number(params.r),
        resetSeconds: numberOf(params.t),
        partitionKey: bareOf(params.pk),
      })),
    );
  }
  return formatPolicies(
    items.map(({ name, params }) => ({
      policy: name,
      quota: Number(params.q),
      unit: bareOf(params.qu),
      windowSeconds: numberOf(params.w),
      partitionKey: bareOf(params.pk),
    })),
  );
}

/** Parameters that the draft defines; its FAQ shows comments of other implementations too. */
const defined = { RateLimit: ['r', 't', 'pk'], 'RateLimit-Policy': ['q', 'qu', 'w', 'pk'] };

describe.runIf(existsSync(vectors))('the RateLimit fields', () => {
  it('are written as in the examples of the draft', () => {
    const { examples } = JSON.parse(readFileSync(vectors, 'utf8')) as { examples: readonly Example[] };
    let compared = 0;
    for (const { field, value } of examples) {
      const items = parse(value);
      const known = items?.every(({ params }) =>
        Object.keys(params).every((name) => defined[field].includes(name)),
      );
      if (items === null || !known) continue;
      expect(rewrite(field, items)).toBe(value.replaceAll(', ', ','));
      compared += 1;
    }
    expect(compared).toBeGreaterThanOrEqual(35);
  });

  it('use problem types that the draft registers', () => {
    const { problem_types } = JSON.parse(readFileSync(vectors, 'utf8')) as {
      problem_types: readonly string[];
    };
    for (const rule of ['limit', 'auto-block', 'blocked'] as const) {
      const { type } = limitProblem({ ...refused, rule }, 'id', '/');
      expect(problem_types).toContain(type.split('#')[1]);
    }
  });
});

const refused: Verdict = {
  allowed: false,
  rule: 'limit',
  retryAfterMs: 1_200,
  caller: 'anonymous',
  route: 'other',
  signIn: false,
  cost: 1,
  quota: {
    policy: 'default',
    capacity: 30,
    windowSeconds: 3,
    policyField: '"default";q=30;w=3',
    remaining: 0,
    moreInMs: 90,
    moreAt: 1_700_000_000_090,
  },
  skipped: null,
  shadow: null,
  mode: 'NORMAL',
  ticket: null,
};

describe('headers', () => {
  it('tell quota, window, what is left and when more comes', () => {
    expect(rateLimitHeaders({ ...refused, allowed: true, rule: null, retryAfterMs: 0 })).toEqual([
      ['RateLimit-Policy', '"default";q=30;w=3'],
      ['RateLimit', '"default";r=0;t=1'],
    ]);
  });

  it('of a refusal tell when to come back, never before more is there', () => {
    const headers = new Map(rateLimitHeaders(refused));
    expect(headers.get('Retry-After')).toBe('2');
    expect(headers.get('RateLimit')).toBe('"default";r=0;t=1');
  });

  it('of old kind come on request', () => {
    expect(rateLimitHeaders(refused, { legacyHeaders: true, standardHeaders: false })).toEqual([
      ['Retry-After', '2'],
      ['X-RateLimit-Limit', '30'],
      ['X-RateLimit-Remaining', '0'],
      ['X-RateLimit-Reset', '1700000001'],
    ]);
  });

  it('of sign-in routes do not tell what is left', () => {
    const names = rateLimitHeaders({ ...refused, signIn: true }, { legacyHeaders: true }).map(
      ([name]) => name,
    );
    expect(names).toEqual(['Retry-After', 'RateLimit-Policy']);
  });

  it('tell nothing of who is not limited', () => {
    expect(rateLimitHeaders({ ...refused, allowed: true, quota: null })).toEqual([]);
  });

  it.each([
    [1, 1],
    [999, 1],
    [1_000, 1],
    [1_001, 2],
    [0, 1],
  ])('wait %d ms: %d s', (ms, seconds) => {
    expect(retryAfterSeconds(ms)).toBe(seconds);
  });

  it('escape a name as structured fields do', () => {
    expect(formatLimits([{ policy: 'a"b\\c', remaining: 1 }])).toBe('"a\\"b\\\\c";r=1');
  });
});

describe('the body of a refusal', () => {
  it('has these fields and no others', () => {
    expect(limitProblem(refused, 'req-1', '/create?token=secret')).toEqual({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      title: 'Too Many Requests',
      status: 429,
      detail: 'Rate limit exceeded',
      code: 'RATE_LIMIT',
      retryAfter: '2',
      requestId: 'req-1',
      instance: '/create',
    });
  });
});
