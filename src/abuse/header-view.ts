import { Recent } from '../identity/recent.ts';

/** What the headers of a request look like, without their values. */
export interface HeaderView {
  /** Names in their order, without those that change from one request of a client to the next. */
  readonly order: string;
  has(name: string): boolean;
}

/** Reads the names of a request's headers. */
export type HeaderReader = (names: readonly string[]) => HeaderView;

const mostNames = 64;
const longestName = 64;
const remembered = 2048;
const longestRemembered = 2048;

/**
 * Present or absent depending on the page, the method or the cache, not on who calls; and what proxies and tracers on
 * the way add. They take no part in the order, or one client would have many.
 */
const changing = new Set([
  'accept',
  'authorization',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'keep-alive',
  'origin',
  'pragma',
  'priority',
  'range',
  'referer',
  'sec-purpose',
  'purpose',
  'te',
  'traceparent',
  'tracestate',
  'transfer-encoding',
  'upgrade',
  'via',
  'x-request-id',
  'x-real-ip',
]);
const addedOnTheWay = /^(:|x-forwarded-|x-envoy-|x-amzn?-|x-b3-|cf-|cdn-|fastly-|true-client-ip)/;

/** Most clients of a kind send the same names, so views are kept by the names as they came. */
export function createHeaderReader(): HeaderReader {
  const known = new Recent<HeaderView>(remembered, longestRemembered);
  return (names) => {
    const text = names.length <= mostNames ? names.join() : names.slice(0, mostNames).join();
    const found = known.get(text);
    if (found !== undefined) return found;
    const view = viewOf(names.slice(0, mostNames));
    known.set(text, view);
    return view;
  };
}

function viewOf(names: readonly string[]): HeaderView {
  const all = names.map((name) => String(name).slice(0, longestName).toLowerCase());
  const present = new Set(all);
  const stable = all.filter((name) => !changing.has(name) && !addedOnTheWay.test(name));
  return { order: stable.join(), has: (name) => present.has(name) };
}
