import { decodedSegment, escapedSegment, spelledSegments } from '../limits/request-path.ts';

/** A path with what looks like an id taken out of it. */
export interface PathShape {
  /** `/users/:id/orders` */
  readonly route: string;
  /** The segments that were taken out, joined; null where none was. */
  readonly id: string | null;
}

const mostSegments = 16;
const longestWord = 24;
const digits = /^\d+$/;
const hex = /^(?=.*\d)[0-9a-f-]{8,}$/i;
const mixed = /^(?=.*\d)(?=.*[a-z])[\w~-]{12,}$/i;
const handle = /^@.+/;

/**
 * Takes ids out of a path: numbers, UUIDs and other hexadecimal texts, long words with digits, handles. What it takes for an
 * id only decides what is counted together, so a wrong guess costs precision and nothing else. Every spelling of a path has
 * one shape, or a caller would choose with each call what it is counted with.
 *
 * @param path without a query
 */
export function shapeOfPath(path: string): PathShape {
  if (path === '/' || path === '') return { route: '/', id: null };
  const ids: string[] = [];
  // Nothing has to be encoded again in a path where nothing was.
  const isEncoded = path.includes('%');
  const segments = spelledSegments(path);
  if (segments.length > mostSegments) segments.length = mostSegments;
  let route = '';
  for (const segment of segments) {
    const text = isEncoded ? escapedSegment(segment) : segment;
    const isOne = isId(segment);
    if (isOne) ids.push(text);
    route += isOne ? '/:id' : `/${text}`;
  }
  return { route: route === '' ? '/' : route.toLowerCase(), id: ids.length === 0 ? null : ids.join('/') };
}

function isId(segment: string): boolean {
  if (segment.length === 0) return false;
  if (digits.test(segment) || segment.length > longestWord * 2) return true;
  return hex.test(segment) || mixed.test(segment) || handle.test(segment);
}

const assetEnding =
  /\.(?:aac|avif|bmp|css|eot|flac|gif|heic|ico|jpe?g|js|jxl|m3u8|m4[asv]|map|mjs|mp[34d]|mvt|og[gv]|otf|pbf|png|svg|ts|ttf|vtt|wasm|wav|webm|webmanifest|webp|woff2?)$/i;

/**
 * Whether a path without its query names a file that pages are made of. Such calls may count for nothing, so it must be one
 * to every server: some cut off what follows a semicolon in a segment, others all that follows one.
 */
export function isAsset(path: string): boolean {
  const slash = path.lastIndexOf('/');
  const semicolon = path.indexOf(';');
  if (semicolon < 0 && !path.includes('%')) return path.lastIndexOf('.') > slash && assetEnding.test(path);
  if (semicolon >= 0 && semicolon < slash) return false;
  const [name = ''] = decodedSegment(path.slice(slash + 1)).split(';', 1);
  return assetEnding.test(name);
}
