import { barePath, decodedSegment, withoutParameters } from './request-path.ts';

/**
 * What servers mind in a path when they look for its route, or do not. Who minds less takes more paths for the same, so a
 * route has to be read in the same way as the path that it is compared with.
 */
export interface Strictness {
  /** Whether a letter in the other case, or one that is encoded for no reason (`%61`), is another one. */
  readonly spelling: boolean;
  /** Whether a slash at the end is something else than none. */
  readonly slash: boolean;
}

/** From minding nothing to minding everything. */
export const strictnesses: readonly Strictness[] = [
  { spelling: false, slash: false },
  { spelling: true, slash: false },
  { spelling: false, slash: true },
  { spelling: true, slash: true },
];

/** What a text has in it that one server minds and another does not. */
export function mindedIn(text: string): Strictness {
  return { spelling: /[^!-$&-@[-~]/.test(text), slash: text.endsWith('/') };
}

/**
 * What routers do not agree about: dot segments, backslashes, slashes that are doubled, which URLs take for the start of a
 * host, or encoded, what is no printable ASCII and may be cut off or out, and a semicolon, which is the start of a
 * parameter to some, of a query to others, and to most a letter as any.
 */
const ambiguous = /^[^/]|[^!-[\]-~]|\/(?:\/|\.|%2e)|%2f|%5c|;/i;

const anyOrigin = 'http://localhost';

/** Beyond these to read a path in all ways costs more than to answer it. Nobody but an attacker comes near to them. */
const mostTexts = 32;
const mostCharacters = 32_768;

/**
 * Everything that a target may mean to whoever serves it, as paths in which only slashes have a meaning: one for nearly
 * all of them. The first is what {@link pathSegments} takes it for. Each thing that servers do is tried with and without
 * each other one, for what stands in front of them does the same before.
 *
 * @returns null where that is too much to read
 */
export function pathTexts(target: string): readonly string[] | null {
  const path = barePath(target);
  // What is a host to one server is the start of the path to another.
  if (target.startsWith('/') && !ambiguous.test(path)) return [path];
  const slashed = withSlashes(target.trim());
  const urls = [target, path, anyOrigin + target].map(pathOfUrl);
  const whole = [path, barePath(slashed), ...urls];
  let texts = new Set(whole.filter((text) => text !== null).map(rooted));
  for (const step of steps) {
    texts = new Set([...texts].flatMap(step));
    if (texts.size > mostTexts || texts.size * path.length > mostCharacters) return null;
  }
  return [...new Set([plainText(path), ...texts])];
}

/** What a path is taken for where nothing is minded. */
export function plainText(path: string): string {
  return withoutDots(merged(withoutParameters(withSlashes(rooted(path)))));
}

/** Some stand twice, for servers differ about what comes first. */
const steps: readonly ((text: string) => readonly string[])[] = [
  semicolons,
  (text) => [text, text.replace(/%2f|%5c/gi, '/')],
  semicolons,
  doubledSlashes,
  (text) => [text, withoutDots(text), withoutDots(text, false)],
  doubledSlashes,
];

function semicolons(text: string): readonly string[] {
  return text.includes(';') ? [text, withoutParameters(text), text.replace(/;.*/s, '')] : [text];
}

function doubledSlashes(text: string): readonly string[] {
  return [text, merged(text)];
}

const rooted = (path: string): string => (path.startsWith('/') ? path : `/${path}`);
const withSlashes = (text: string): string => (text.includes('\\') ? text.replaceAll('\\', '/') : text);
const merged = (text: string): string => text.replace(/\/{2,}/g, '/');

/** As `new URL` has it, which many handlers route by; null where it has none, for they cannot route that. */
function pathOfUrl(text: string): string | null {
  try {
    return new URL(text, anyOrigin).pathname;
  } catch (error) {
    // `URL.canParse` of Node 20 does not ask the same of letters beyond ASCII once it is compiled.
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** With dot segments resolved as URLs do, or all but encoded ones: one at the end leaves its slash. */
function withoutDots(text: string, encodedToo = true): string {
  if (!/\/(?:\.|%2e)/i.test(text)) return text;
  const kept: string[] = [];
  let isLeft = false;
  for (const part of text.split('/')) {
    const dots = encodedToo && part.length <= 6 ? part.replace(/%2e/gi, '.') : part;
    isLeft = dots === '.' || dots === '..';
    if (!isLeft) kept.push(part);
    else if (dots === '..' && kept.length > 1) kept.pop();
  }
  if (isLeft) kept.push('');
  return kept.join('/');
}

/** A path as one server compares it. */
export interface PathReading {
  /** Of {@link strictnesses}. */
  readonly strictness: number;
  readonly segments: readonly string[];
}

/**
 * What one of the {@link pathTexts} may be taken for, the most lenient first.
 *
 * @param most segments that are of interest; a longer path has at least one more
 * @param minded in the routes that it is compared with
 */
export function textReadings(text: string, most: number, minded: Strictness): readonly PathReading[] {
  const has = mindedIn(text);
  const parts = text.slice(1).split('/', most + 2);
  const readings: PathReading[] = [];
  for (const [strictness, by] of strictnesses.entries()) {
    if (by.spelling && !has.spelling && !minded.spelling) continue;
    if (by.slash && !has.slash && !minded.slash) continue;
    readings.push({ strictness, segments: comparedParts(parts, has, by) });
  }
  return readings;
}

/** The segments of a text as a server compares them that minds just that. */
export function comparedSegments(text: string, by: Strictness): readonly string[] {
  return comparedParts(text.slice(1).split('/'), mindedIn(text), by);
}

/** @param has what makes a difference in them */
function comparedParts(parts: readonly string[], has: Strictness, by: Strictness): readonly string[] {
  const kept = has.slash && !by.slash ? parts.slice(0, -1) : parts;
  if (!has.spelling) return kept;
  return kept.map(by.spelling ? spelledSegment : (part) => decodedSegment(part).toLowerCase());
}

/** Decoded where there was no other way to send it: to a server that decodes nothing the rest is something else. */
function spelledSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  const decoded = decodedSegment(segment);
  return decoded !== segment && encodeURI(decoded) === segment ? decoded : segment;
}
