/** Scheme and authority, where a client has sent the absolute form of a target. */
const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * Path and query of a request target: what a server goes by. What may stand before them, and a fragment, which Node lets
 * through and routers cut off, are the client's to choose.
 */
export function bareTarget(target: string): string {
  const end = target.indexOf('#');
  const sent = end < 0 ? target : target.slice(0, end);
  return sent.startsWith('/') ? sent : sent.replace(origin, '');
}

/** The path of a request target, without what may stand before it and without its query. */
export function barePath(target: string): string {
  const path = bareTarget(target);
  const end = path.indexOf('?');
  const bare = end < 0 ? path : path.slice(0, end);
  return bare === '' ? '/' : bare;
}

/**
 * The segments of a path as routes are compared: without regard to case, to slashes at the end or doubled, to
 * percent-encoding and to parameters after a semicolon, and with dot segments resolved, also encoded ones and ones
 * between backslashes. Frameworks differ in what they let through, and a spelling must not make a call cheaper. Split
 * before decoding: an encoded slash is part of its segment.
 */
export function pathSegments(target: string): string[] {
  return spelledSegments(target).map(lowerCase);
}

/** The same in the case in which they were sent, in which alone ids may differ. */
export function spelledSegments(target: string): string[] {
  const path = barePath(target);
  const slashed = path.includes('\\') ? path.replaceAll('\\', '/') : path;
  return resolved(decodedSegments(withoutParameters(slashed)));
}

/** Without what follows a semicolon in a segment. */
export function withoutParameters(path: string): string {
  return path.includes(';') ? path.replace(/;[^/]*/g, '') : path;
}

function decodedSegments(path: string): string[] {
  const segments: string[] = [];
  for (const segment of path.split('/')) if (segment !== '') segments.push(decodedSegment(segment));
  return segments;
}

const lowerCase = (segment: string): string => segment.toLowerCase();

/** Without dot segments. The same list where there is none, as in nearly all of them. */
function resolved(segments: string[]): string[] {
  if (!segments.some(isDots)) return segments;
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === '..') kept.pop();
    else if (segment !== '.') kept.push(segment);
  }
  return kept;
}

const isDots = (segment: string): boolean => segment === '.' || segment === '..';

/** One character that is encoded as UTF-8: neither longer than it has to be, nor half of a pair, nor beyond the last one. */
const encodedCharacter =
  /%(?:[0-7][\da-f]|(?:c[2-9a-f]|d[\da-f])%[89ab][\da-f]|(?:e0%[ab][\da-f]|e[1-9a-cef]%[89ab][\da-f]|ed%[89][\da-f])%[89ab][\da-f]|(?:f0%[9ab][\da-f]|f[1-3]%[89ab][\da-f]|f4%8[\da-f])(?:%[89ab][\da-f]){2})/iy;

/**
 * A segment that is not well encoded is compared as it is. That is found out without an exception: a path may have thousands of
 * such segments, and each exception takes longer than all the rest of its segment.
 */
export function decodedSegment(segment: string): string {
  return segment.includes('%') && isWellEncoded(segment) ? decodeURIComponent(segment) : segment;
}

function isWellEncoded(segment: string): boolean {
  let at = segment.indexOf('%');
  while (at >= 0) {
    encodedCharacter.lastIndex = at;
    if (!encodedCharacter.test(segment)) return false;
    at = segment.indexOf('%', encodedCharacter.lastIndex);
  }
  return true;
}

/**
 * The fields of a query, without its question mark. `URLSearchParams` reads the same, but throws and catches an exception for
 * every text that is not well encoded, which here stays as it is: a query may have thousands of them, which would hold up everybody.
 */
export function queryFields(query: string): [name: string, value: string][] {
  const fields: [string, string][] = [];
  for (const part of query.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = equals < 0 ? part : part.slice(0, equals);
    const value = equals < 0 ? '' : part.slice(equals + 1);
    fields.push([decodedField(name), decodedField(value)]);
  }
  return fields;
}

function decodedField(text: string): string {
  return decodedSegment(text.includes('+') ? text.replaceAll('+', ' ') : text);
}

/** A decoded segment, with what would be read as something else in a path encoded. */
export function escapedSegment(segment: string): string {
  return segment.replace(/[%/?#;\\]/g, encodeURIComponent);
}
