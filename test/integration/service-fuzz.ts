import type { Route } from '../../src/server/route.ts';
import type { Random } from '../../src/testing/random.ts';
import { bearer } from './service-under-test.ts';

/** Texts of which none may be found in what the service tells. */
export const identifiers = ['198.51.100.23', 'mallory@example.org', 'SecretAgent/9.9', 'device-4711'];
const [ip = '', account = '', ua = '', deviceId = ''] = identifiers;

/** A request that nobody sends by mistake alone. */
export interface OddRequest {
  readonly route: Route | null;
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly headers: Record<string, string>;
}

/** A route with a body that is nearly right, wrong in one place, or no JSON at all. */
export function oddRequest(random: Random, routes: readonly Route[]): OddRequest {
  const route = below(random, 20) === 0 ? null : (pick(random, routes) as Route);
  const token = pick(random, ['decide', 'observe', 'operate'] as const);
  const headers: Record<string, string> = below(random, 8) === 0 ? {} : bearer(token);
  if (below(random, 4) === 0) headers['x-forwarded-for'] = pick(random, [ip, 'x'.repeat(200), ',,,', '[::1']);
  if (below(random, 4) === 0) headers['user-agent'] = ua;
  const method =
    below(random, 10) === 0
      ? pick(random, ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      : route?.method;
  const path = (route?.path ?? `/${oddPart(random)}`).replaceAll(/:\w+/g, () => oddPart(random));
  const query =
    below(random, 3) === 0 ? `?${pick(random, ['deny', 'limit', 'since', 'x'])}=${oddPart(random)}` : '';
  const hasBody = method !== 'GET' && method !== undefined;
  return {
    route: route?.path === '/v1/events' ? null : route,
    method: method ?? 'GET',
    path: route?.path === '/v1/events' ? '/v1/event' : `${path}${query}`,
    body: hasBody ? oddBody(random) : undefined,
    headers,
  };
}

const seedBodies: readonly object[] = [
  { ip, account, ua, device: { id: deviceId, confidence: 'MEDIUM' } },
  { ip, cost: 3 },
  { ip, account, action: 'auth.otp' },
  { ip, account, scope: 'K1', level: 2, by: 'tester', why: 'fuzz' },
  { by: 'tester', why: 'fuzz', forMs: 1_000, ratePerSecond: 5, ip, mode: 'closed', user: account },
  { by: 'tester', why: 'fuzz' },
  [
    { op: 'fail', ip, account },
    { op: 'check', ip, account },
  ],
  { identifier: account, client_ip: ip },
  {
    name: 'orders',
    everyMs: 1_000,
    globalBreaker: 'closed',
    loops: 0,
    droppedPassports: 0,
    leftOut: 0,
    targets: [
      {
        target: 'stock@1',
        breaker: 'open',
        probeInMs: 5,
        pinnedForMs: 0,
        calls: 1,
        attempts: 1,
        retries: 0,
        failures: 1,
        denied: { loop: 1 },
      },
    ],
  },
];

function oddBody(random: Random): string {
  const seed = pick(random, seedBodies);
  const kind = below(random, 8);
  if (kind === 0) return oddText(random);
  if (kind === 1) return JSON.stringify(seed).slice(0, below(random, 60));
  if (kind === 2) return '['.repeat(below(random, 5_000));
  if (kind === 3 || Array.isArray(seed)) return JSON.stringify(seed);
  const body: Record<string, unknown> = { ...seed };
  const field = pick(random, [...Object.keys(body), 't', 'op', '__proto__', 'constructor', oddText(random)]);
  Object.defineProperty(body, field, { value: oddValue(random), enumerable: true });
  return JSON.stringify(body);
}

function oddValue(random: Random): unknown {
  return pick(random, [
    null,
    true,
    0,
    -1,
    1e308,
    0.1,
    '',
    '\0',
    oddText(random),
    [],
    {},
    [[]],
    'x'.repeat(9_000),
    ip,
  ]);
}

/** A text as a part of a URL; half a surrogate pair has no place there. */
function oddPart(random: Random): string {
  return encodeURIComponent(oddText(random).replaceAll('\ud800', ''));
}

function oddText(random: Random): string {
  const alphabet = [
    'a',
    '%',
    '/',
    '..',
    '\u0000',
    '\u202e',
    '😀',
    '"',
    '\n',
    'login:K4:',
    '{',
    ';',
    '\ud800',
    ip,
    account,
  ];
  return Array.from({ length: below(random, 6) }, () => pick(random, alphabet)).join('');
}

const methods = ['GET', 'POST', 'BREW', '', 'get', 'CONNECT', 'PRI'];
const lines = [
  'host: x',
  'content-length: -1',
  'content-length: 9',
  'transfer-encoding: chunked',
  ': x',
  'x',
  `x: ${ip}`,
];

/** Something that begins like a request, or does not. */
export function oddBytes(random: Random): Buffer {
  if (below(random, 3) === 0)
    return Buffer.from(Array.from({ length: below(random, 300) }, () => below(random, 256)));
  const head = Array.from({ length: below(random, 4) }, () => pick(random, lines)).join('\r\n');
  const end = pick(random, ['\r\n\r\n', '\n\n', '', '\r\n\r\nffffffff\r\n', '\r\n\r\n{}']);
  return Buffer.from(
    `${pick(random, methods)} /v1/${oddText(random)} HTTP/1.${below(random, 4)}\r\n${head}${end}`,
  );
}

function pick<T>(random: Random, items: readonly T[]): T {
  return items[below(random, items.length)] as T;
}

function below(random: Random, bound: number): number {
  return random.between(0, bound - 1);
}
