import Type from 'typebox';
import { headerOf } from '../../adapters/node-messages.ts';
import type { HeaderOptions, Verdict } from '../../limits/index.ts';
import { limitProblem, problemMediaType, rateLimitHeaders, requestIdOf } from '../../limits/index.ts';
import { ProblemSchema, problemAnswer } from '../http/problem.ts';
import { judgeVisit, type VisitParts } from '../judge-visit.ts';
import type { Route, RouteAnswer, RouteCall } from '../route.ts';

/** What the limiter takes as a user; whoever has a longer name counts as not signed in. */
const longestUser = 256;

/** Headers that proxies add: they say nothing about the visitor. */
const ofProxies = /^(x-(forwarded|original|real|portcullis)-|forwarded$|via$|connection$|content-length$)/i;

/** What a proxy says of the request it asks for. */
interface Origin {
  readonly method: string;
  readonly path: string;
}

/** What `/v1/authorize` decides by. */
export interface AuthorizeParts extends Omit<VisitParts, 'heldUntil'> {
  readonly headers: () => HeaderOptions & { readonly userHeader: string | null };
  /** Hears of everybody who asks and is no trusted proxy. */
  readonly onStranger: (header: Header) => void;
}

/**
 * `GET|POST /v1/authorize`: for `auth_request` and ForwardAuth. 200 with the RateLimit headers, or 429 with a problem;
 * with `?deny=403` a refusal is a 403, which is the only one that nginx passes on. Other query fields are ignored: some
 * proxies pass on those of the visitor.
 */
export function authorizeRoutes(parts: AuthorizeParts): Route[] {
  const route = {
    path: '/v1/authorize',
    summary: 'Whether a proxy may pass on a request: 200, or 429 (403 with ?deny=403).',
    role: 'decide',
    fromProxies: true,
    // Not only the two: some proxies pass on the query of the visitor, whose page may have a field of this name.
    query: Type.Object({ deny: Type.Optional(Type.String()) }),
    answers: { 200: null, 403: ProblemSchema, 429: ProblemSchema },
    handle: (call: RouteCall) => authorize(call, parts),
  } as const;
  return [
    { method: 'GET', ...route },
    { method: 'POST', ...route },
  ];
}

async function authorize(call: RouteCall, parts: AuthorizeParts): Promise<RouteAnswer> {
  const header = headerOf(call.headers);
  const requestId = requestIdOf(header('x-request-id'));
  const { fromTrustedProxy } = call;
  if (!fromTrustedProxy) parts.onStranger(header);
  const origin = fromTrustedProxy
    ? originIn(call.method, header)
    : { method: call.method, path: '/v1/authorize' };
  if (origin === null) {
    const detail = 'The request names two different origins: X-Original-URI and X-Forwarded-Uri.';
    return problemAnswer('ORIGIN_AMBIGUOUS', detail, { requestId });
  }
  const headerNames = call.headerNames.filter((name) => !ofProxies.test(name));
  const user = userIn(call, header, parts.headers().userHeader);
  const visitor = { ...origin, ip: call.ip, ua: header('user-agent') ?? null, user, header, headerNames };
  const verdict = await judgeVisit(visitor, { ...parts, heldUntil: () => call.signal });
  const told = {
    ...Object.fromEntries(rateLimitHeaders(verdict, parts.headers())),
    'X-Request-Id': requestId,
  };
  if (verdict.allowed) return { status: 200, headers: told, body: '' };
  return refusal(verdict, call.query.get('deny') === '403' ? 403 : 429, {
    requestId,
    path: origin.path,
    told,
  });
}

interface Telling {
  readonly requestId: string;
  readonly path: string;
  readonly told: Readonly<Record<string, string>>;
}

function refusal(verdict: Verdict, status: 403 | 429, { requestId, path, told }: Telling): RouteAnswer {
  return {
    status,
    headers: { ...told, 'Content-Type': problemMediaType },
    body: { ...limitProblem(verdict, requestId, path), status },
  };
}

type Header = (name: string) => string | undefined;

/** Whom the proxy has signed in. Only a trusted one is believed, or everybody could be anybody. */
function userIn({ fromTrustedProxy }: RouteCall, header: Header, userHeader: string | null): string | null {
  if (!fromTrustedProxy || userHeader === null) return null;
  const user = header(userHeader.toLowerCase());
  return user === undefined || user === '' || user.length > longestUser ? null : user;
}

/**
 * What the visitor asked the proxy for. Proxies write one of two families of headers and pass on the other one as the
 * visitor wrote it, so where both are there and differ nobody can tell which to believe: null.
 */
function originIn(asked: string, header: Header): Origin | null {
  const [original, forwarded] = [header('x-original-uri'), header('x-forwarded-uri')];
  const isEither = original !== undefined && forwarded !== undefined;
  if (isEither && original !== forwarded) return null;
  const [originalMethod, forwardedMethod] = [methodIn(header, 'original'), methodIn(header, 'forwarded')];
  if (isEither && originalMethod && forwardedMethod && originalMethod !== forwardedMethod) return null;
  const own = original === undefined ? forwardedMethod : originalMethod;
  const method = own ?? (isEither ? forwardedMethod : undefined) ?? asked;
  return { method, path: original ?? forwarded ?? '/' };
}

const methodIn = (header: Header, family: 'original' | 'forwarded'): string | undefined =>
  header(`x-${family}-method`)?.slice(0, 32).toUpperCase();
