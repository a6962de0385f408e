import { Fault, shapeOf } from '../core/fault.ts';

/**
 * Where a service stands, with the prefix that a proxy may have put before it: names of routes without a slash at their start
 * lead on from there.
 *
 * @throws Fault `INPUT_INVALID` when it is no URL of HTTP.
 */
export function serviceUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Fault(
      'INPUT_INVALID',
      `--url must be that of a service, as http://127.0.0.1:8470, got ${shapeOf(text)}`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new Fault('INPUT_INVALID', '--url must hold no name and password: a service asks for a token');
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}
