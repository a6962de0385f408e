import { pathSegments } from './request-path.ts';

/** A path with places for anything, ready to match against {@link pathSegments}. */
export interface PathPattern {
  /** Null stands for any one segment. */
  readonly segments: readonly (string | null)[];
  /** Whether more segments may follow. */
  readonly open: boolean;
}

/**
 * What a path may be made of, as the source of a regular expression. Patterns that only routers know, such as `/files/*path`,
 * `/:id?`, `{/:id}` or `/@:user`, would be compared to the letter: no call would ever match them, and cost what they say.
 */
export const pathPatternSource = '^(?=/)(?:/(?::[\\w.:~-]*|(?!:|[^/]*[^\\w/]:\\w)[^/*?#{}|]+)?)*(?:/\\*/?)?$';
const pathPattern = new RegExp(pathPatternSource);

/** Whether a path, with or without patterns, can be that of a route. */
export function isPathPattern(path: string): boolean {
  return pathPattern.test(path);
}

/** Reads `/read/:id` and `/files/*`. */
export function toPathPattern(path: string): PathPattern {
  return patternOf(pathSegments(path));
}

/** The same of segments that are apart already. */
export function patternOf(segments: readonly string[]): PathPattern {
  const open = segments.at(-1) === '*';
  return {
    segments: (open ? segments.slice(0, -1) : segments).map((text) => (text.startsWith(':') ? null : text)),
    open,
  };
}

/** Whether a path, as its {@link pathSegments}, is one that the pattern stands for. */
export function patternMatches({ segments, open }: PathPattern, asked: readonly string[]): boolean {
  if (open ? asked.length < segments.length : asked.length !== segments.length) return false;
  for (let index = 0; index < segments.length; index += 1) {
    const segment = segments[index];
    if (segment !== null && segment !== asked[index]) return false;
  }
  return true;
}
