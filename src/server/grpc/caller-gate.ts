import type { Metadata, ServerInterceptor } from '@grpc/grpc-js';
import type { Admittance, CallerTraits } from './caller-check.ts';
import type { Grpc } from './grpc-library.ts';
import { statusCodes } from './status-codes.ts';
import type { UnreadMessages } from './unread-messages.ts';

const refusals = {
  unauthenticated: {
    code: statusCodes.UNAUTHENTICATED,
    details: 'A token is needed: authorization: Bearer …',
  },
  forbidden: {
    code: statusCodes.PERMISSION_DENIED,
    details: 'A token with the role "decide" is needed; without any token only this machine is served',
  },
} as const;

/** Whom the gate lets in. */
export interface GateParts {
  readonly check: (caller: CallerTraits) => Admittance;
  /** Whether anybody may call that method. */
  readonly isOpen: (path: string) => boolean;
  /** Of those calls that anybody may make. */
  readonly unread: UnreadMessages;
}

/**
 * Asks who calls as soon as a call begins, before anything of its message is read: handlers are asked when it is whole, and
 * whoever never completes one would have each of its calls hold a message of the largest size.
 */
export function callerGate({ ServerInterceptingCall }: Grpc, parts: GateParts): ServerInterceptor {
  return ({ path }, call) => {
    if (parts.isOpen(path)) return new ServerInterceptingCall(call, awaited(call.getPeer(), parts.unread));
    const onReceiveMetadata = (metadata: Metadata, next: (metadata: Metadata) => void) => {
      const admittance = parts.check({ peer: call.getPeer(), metadata: readerOf(metadata) });
      if (admittance === 'admitted') return next(metadata);
      return call.sendStatus(refusals[admittance]);
    };
    return new ServerInterceptingCall(call, { start: (next) => next({ onReceiveMetadata }) });
  };
}

/**
 * A message is on its way until its call says that no other follows: the library reads on for one. That of a call which ends before
 * stays until its connection does.
 */
function awaited(peer: string, unread: UnreadMessages) {
  return {
    start: (next: (listener: object) => void) => {
      const arrived = unread.expect(peer);
      const onReceiveHalfClose = (pass: () => void) => {
        arrived();
        pass();
      };
      next({ onReceiveHalfClose });
    },
  };
}

/** The first value of a name in the metadata of a call. */
export function readerOf(metadata: Metadata): (name: string) => string | undefined {
  return (name) => {
    const [value] = metadata.get(name);
    return value === undefined ? undefined : String(value);
  };
}
