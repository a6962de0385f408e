/** Names and values in turn, as they stood on the wire: order, case and repetitions are kept. */
export type RawHeaders = readonly string[];

/** The header that tells Kratos where a request comes from. */
const clientIpHeader = 'true-client-ip';

/** What concerns one connection only (RFC 9110 §7.6.1). `Trailer` is handled where trailers are. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** What a client must not be able to take out of its request by naming it in `Connection`. */
const staying = new Set(['host', 'content-length', 'content-type', 'cookie', 'authorization']);

/** Answered by the proxy itself, or written anew. */
const ownInRequests = new Set(['expect', 'trailer', clientIpHeader]);

/**
 * The headers of a request as they go on to Kratos: unchanged, but for what concerns one connection only and the client's
 * address, which is the one that was found here.
 *
 * @param withLength whether a `Content-Length` goes on; not where the body is sent with a length of its own
 */
export function requestHeaders(raw: RawHeaders, clientIp: string, withLength: boolean): string[] {
  const named = namedInConnection(raw);
  const headers: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? '';
    const lower = name.toLowerCase();
    if (hopByHop.has(lower) || ownInRequests.has(lower)) continue;
    if (lower === 'content-length' && !withLength) continue;
    if (named?.has(lower) && !staying.has(lower)) continue;
    headers.push(name, raw[at + 1] ?? '');
  }
  headers.push('True-Client-Ip', clientIp);
  return headers;
}

/** The headers of an answer as they go back to the client. Values are bytes, which Latin-1 keeps as they are. */
export function answerHeaders(raw: readonly Buffer[]): string[] {
  const all = raw.map((bytes) => bytes.toString('latin1'));
  const named = namedInConnection(all);
  const headers: string[] = [];
  for (let at = 0; at < all.length; at += 2) {
    const name = all[at] ?? '';
    const lower = name.toLowerCase();
    if (hopByHop.has(lower) || (named?.has(lower) && !staying.has(lower))) continue;
    headers.push(name, all[at + 1] ?? '');
  }
  return headers;
}

/** The values of a header, in their order. */
export function valuesOf(raw: RawHeaders, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    if (raw[at]?.toLowerCase() === name) values.push(raw[at + 1] ?? '');
  }
  return values;
}

/** Null where `Connection` names nothing but what is known anyway, which is nearly always. */
function namedInConnection(raw: RawHeaders): ReadonlySet<string> | null {
  let named: Set<string> | null = null;
  for (const value of valuesOf(raw, 'connection')) {
    if (/^\s*(keep-alive|close)\s*$/i.test(value)) continue;
    named ??= new Set();
    for (const name of value.split(',')) named.add(name.trim().toLowerCase());
  }
  return named;
}
