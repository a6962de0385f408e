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

/** A segment that is not well encoded is compared as it is. */
export function decodedSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return segment;
    throw error;
  }
}

/** A decoded segment, with what would be read as something else in a path encoded. */
export function escapedSegment(segment: string): string {
  return segment.replace(/[%/?#;\\]/g, encodeURIComponent);
}
