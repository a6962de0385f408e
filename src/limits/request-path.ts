/** Scheme and authority, where a client has sent the absolute form of a target. */
const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** The path of a request target, without what may stand before it and without its query. */
export function barePath(target: string): string {
  const path = target.startsWith('/') ? target : target.replace(origin, '');
  const end = path.search(/[?#]/);
  const bare = end < 0 ? path : path.slice(0, end);
  return bare === '' ? '/' : bare;
}

/**
 * The segments of a path as routes are compared: without regard to case, to slashes at the end or doubled, to
 * percent-encoding and to parameters after a semicolon. Frameworks differ in what they let through, and a spelling must
 * not make a call cheaper. Split before decoding: an encoded slash is part of its segment.
 */
export function pathSegments(target: string): string[] {
  const segments: string[] = [];
  for (const part of barePath(target).split('/')) {
    const end = part.indexOf(';');
    const segment = end < 0 ? part : part.slice(0, end);
    if (segment !== '') segments.push(decode(segment).toLowerCase());
  }
  return segments;
}

/** A segment that is not well encoded is compared as it is. */
function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return segment;
    throw error;
  }
}

/** The target without the segments it begins with; as it is where it does not begin with them. */
export function withoutBase(target: string, base: readonly string[]): string {
  if (base.length === 0) return target;
  const segments = pathSegments(target);
  if (base.some((segment, index) => segment !== segments[index])) return target;
  return `/${segments.slice(base.length).map(escaped).join('/')}`;
}

/** What would be read as something else in a path. */
function escaped(segment: string): string {
  return segment.replace(/[%/?#;]/g, encodeURIComponent);
}
