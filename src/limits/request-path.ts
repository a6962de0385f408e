import { Recent } from '../identity/recent.ts';

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

/**
 * What routers do not agree about: dot segments, backslashes, slashes that are encoded, what is no printable ASCII and may
 * be cut off or out, a doubled slash at the start, which URLs take for a host, and a semicolon, which is the start of a
 * parameter to some, of a query to others, and to most a letter as any.
 */
const ambiguous = /[^!-[\]-~]|^\/\/|\/(?:\.|%2e)|%2f|%5c|;/i;

/**
 * Everything that a target may mean to whoever serves it, as segments: one reading for nearly all of them. The first is
 * that of {@link pathSegments}, the last is the path to the letter.
 */
export function pathReadings(target: string): readonly (readonly string[])[] {
  const path = barePath(target);
  const readings = [pathSegments(path)];
  if (!ambiguous.test(path)) return readings;
  // As `new URL` has it, which many handlers route by; what it cannot parse they cannot route.
  if (URL.canParse(path, anyOrigin)) readings.push(segmentsOf(new URL(path, anyOrigin).pathname));
  // As servers have it that decode before they split, and url.parse(), which trims.
  readings.push(pathSegments(path.trim().replace(/%2f|%5c/gi, '/')));
  readings.push(segmentsOf(path.replace(/;.*/s, '')));
  readings.push(segmentsOf(path));
  readings.push(literalSegments(path));
  return readings;
}

const anyOrigin = 'http://localhost';

function segmentsOf(path: string): string[] {
  return literalSegments(withoutParameters(path));
}

function withoutParameters(path: string): string {
  return path.includes(';') ? path.replace(/;[^/]*/g, '') : path;
}

/** With whatever stands behind a semicolon. */
function literalSegments(path: string): string[] {
  return decodedSegments(path).map(lowerCase);
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

const rememberedPaths = 1_024;
/** With its query, for a path that is cut from a target keeps all of it in memory. */
const longestTarget = 256;

/** Where an application is mounted. Recent paths are remembered, for taking one apart costs more than a lookup. */
export class MountPath {
  readonly #segments: readonly string[];
  readonly #recent = new Recent<string>(rememberedPaths, longestTarget);

  /** @param path default `/`: not mounted below anything */
  constructor(path = '/') {
    this.#segments = pathSegments(path);
  }

  /** A path without its query and without what it is mounted at; whole where it is somewhere else. */
  below(target: string): string {
    if (this.#segments.length === 0) return target;
    const query = target.indexOf('?');
    const path = query < 0 ? target : target.slice(0, query);
    if (target.length > longestTarget) return this.#cut(path);
    const known = this.#recent.get(path);
    if (known !== undefined) return known;
    const below = this.#cut(path);
    this.#recent.set(path, below);
    return below;
  }

  /** To the letter where that leaves all readings open, for which of them counts is not known here. */
  #cut(path: string): string {
    const depth = this.#segments.length;
    const all = pathReadings(path);
    const readings = all.filter((segments) => this.#holds(segments));
    const [first, ...others] = readings.map((segments) => textOf(segments.slice(depth)));
    if (first === undefined) return path;
    const rest = all.length > 1 ? this.#rest(barePath(path)) : null;
    if (rest !== null && textOf(pathSegments(rest)) === first) return rest;
    return others.findLast((text) => textOf(pathSegments(text)) === first) ?? first;
  }

  /** What follows the mount as it was sent; null where the path does not begin with it to the letter. */
  #rest(path: string): string | null {
    const parts = path.split('/').filter((part) => part !== '');
    const begins = this.#segments.every((segment, index) => segmentsOf(parts[index] ?? '')[0] === segment);
    return begins ? `/${parts.slice(this.#segments.length).join('/')}` : null;
  }

  #holds(reading: readonly string[]): boolean {
    return this.#segments.every((segment, index) => segment === reading[index]);
  }
}

function textOf(segments: readonly string[]): string {
  return `/${segments.map(escapedSegment).join('/')}`;
}

/** A decoded segment, with what would be read as something else in a path encoded. */
export function escapedSegment(segment: string): string {
  return segment.replace(/[%/?#;\\]/g, encodeURIComponent);
}
