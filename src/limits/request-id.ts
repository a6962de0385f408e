import { randomUUID } from 'node:crypto';

/** The header that names a request in answers and logs. */
export const requestIdHeader = 'x-request-id';

const sane = /^[!-~]{1,128}$/;

/** The inbound id if it has 1 to 128 visible ASCII characters, else a new UUID. */
export function requestIdOf(inbound: string | null | undefined): string {
  return typeof inbound === 'string' && sane.test(inbound) ? inbound : randomUUID();
}
