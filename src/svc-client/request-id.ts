import { randomUUID } from 'node:crypto';

/** The header that names a request to people and logs; the signed name is in the passport. */
export const REQUEST_ID_HEADER = 'x-request-id';

const SANE = /^[!-~]{1,128}$/;

/** The given id if it is sane (1 to 128 visible ASCII characters), else a new one: a UUID unless told otherwise. */
export function requestIdFrom(given: string | null | undefined, create: () => string = randomUUID): string {
  return given != null && SANE.test(given) ? given : create();
}
