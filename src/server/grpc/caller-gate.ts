import type { IncomingHttpHeaders } from 'node:http2';
import type { Admittance } from './caller-check.ts';
import { codes, type GrpcStatus } from './grpc-status.ts';

/** What those hear who are not let in. */
export const refusals: Readonly<Record<Exclude<Admittance, 'admitted'>, GrpcStatus>> = {
  unauthenticated: { code: codes.UNAUTHENTICATED, details: 'A token is needed: authorization: Bearer …' },
  forbidden: {
    code: codes.PERMISSION_DENIED,
    details: 'A token with the role "decide" is needed; without any token only this machine is served',
  },
};

/** The first value of a name in the metadata of a call; of one that comes several times Node makes one text. */
export function readerOf(headers: IncomingHttpHeaders): (name: string) => string | undefined {
  return (name) => {
    const value = headers[name];
    return (typeof value === 'string' ? value : value?.[0])?.split(',', 1)[0]?.trim();
  };
}
