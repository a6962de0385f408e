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
 * id only decides what is counted together, so a wrong guess costs precision and nothing else.
 *
 * @param path without a query
 */
export function shapeOfPath(path: string): PathShape {
  if (path === '/' || path === '') return { route: '/', id: null };
  const ids: string[] = [];
  const segments = path.split('/', mostSegments + 1).map((segment) => {
    if (!isId(segment)) return segment;
    ids.push(segment);
    return ':id';
  });
  return { route: segments.join('/'), id: ids.length === 0 ? null : ids.join('/') };
}

function isId(segment: string): boolean {
  if (segment.length === 0) return false;
  if (digits.test(segment) || segment.length > longestWord * 2) return true;
  return hex.test(segment) || mixed.test(segment) || handle.test(segment);
}

const assetEnding =
  /\.(?:avif|bmp|css|eot|gif|ico|jpe?g|js|map|mjs|mp3|mp4|otf|png|svg|ttf|wasm|webm|webmanifest|webp|woff2?)$/i;

/** Whether a path without its query names a file that pages are made of. */
export function isAsset(path: string): boolean {
  return path.lastIndexOf('.') > path.lastIndexOf('/') && assetEnding.test(path);
}
