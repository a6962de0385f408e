import { nextUuid } from './uuid.ts';

/** The header that names a request to people and in logs, here and at other services. */
export const requestIdHeader = 'x-request-id';

const sane = /^[!-~]{1,128}$/;

/** Whether it has 1 to 128 visible ASCII characters, so that it can name a request. */
export function isRequestId(text: unknown): text is string {
  return typeof text === 'string' && sane.test(text);
}

/** The inbound id if it has 1 to 128 visible ASCII characters, else a new one: a UUID unless told otherwise. */
export function requestIdOf(inbound: string | null | undefined, create: () => string = nextUuid): string {
  return isRequestId(inbound) ? inbound : create();
}
