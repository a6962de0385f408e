import type { Answer } from './arrival.ts';

/** An answer as servers of the `fetch` style send it. */
export function responseOf({ status, headers, body }: Answer): Response {
  return new Response(body, {
    status,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
  });
}
