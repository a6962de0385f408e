import type { handleUnaryCall, ServerUnaryCall } from '@grpc/grpc-js';
import { Fault } from '../../core/fault.ts';
import type { Admittance, CallerTraits } from './caller-check.ts';
import { isMalformed } from './grpc-library.ts';

/** The codes of gRPC that we answer with; `RESOURCE_EXHAUSTED` and `DEADLINE_EXCEEDED` are the library's own. */
const codes = {
  INVALID_ARGUMENT: 3,
  PERMISSION_DENIED: 7,
  INTERNAL: 13,
  UNAUTHENTICATED: 16,
} as const;

/** How calls are taken in. */
export interface CallTaking {
  readonly check: (caller: CallerTraits) => Admittance;
  /** Told of faults of ours, with the method they were met on. */
  readonly onFault: (error: unknown, method: string) => void;
}

interface Status {
  readonly code: number;
  readonly details: string;
}

/**
 * Makes a handler of the library out of one that takes a message and gives one, now or later: asks who calls, refuses what
 * cannot be read, and turns what is thrown into a status. A call whose client has gone, or whose deadline has passed, is
 * not run.
 */
export function unaryHandler<Message extends object, Answer extends object>(
  taking: CallTaking,
  handle: (message: Message, caller: CallerTraits) => Answer | Promise<Answer>,
): handleUnaryCall<Message, Answer> {
  return (call, callback) => {
    const traits = new CallTraits(call);
    const objection = objectionTo(call, taking.check(traits));
    if (objection !== null) return callback(objection);
    if (call.cancelled) return undefined;
    const fail = (error: unknown) => callback(statusOf(error, call.getPath(), taking));
    try {
      const answer = handle(call.request, traits);
      if (!(answer instanceof Promise)) return callback(null, answer);
      answer.then((later) => callback(null, later), fail);
    } catch (error) {
      fail(error);
    }
    return undefined;
  };
}

/** Made for every call, read by few: what costs something is found when it is asked for. */
class CallTraits implements CallerTraits {
  readonly #call: ServerUnaryCall<object, unknown>;

  constructor(call: ServerUnaryCall<object, unknown>) {
    this.#call = call;
  }

  get peer(): string {
    return this.#call.getPeer();
  }

  readonly metadata = (name: string): string | undefined => {
    const [value] = this.#call.metadata.get(name);
    return value === undefined ? undefined : String(value);
  };
}

function objectionTo(call: ServerUnaryCall<object, unknown>, admittance: Admittance): Status | null {
  if (admittance === 'unauthenticated') {
    return { code: codes.UNAUTHENTICATED, details: 'A token is needed: authorization: Bearer …' };
  }
  if (admittance === 'forbidden') {
    return {
      code: codes.PERMISSION_DENIED,
      details: 'A token with the role "decide" is needed; without any token only this machine is served',
    };
  }
  return isMalformed(call.request)
    ? { code: codes.INVALID_ARGUMENT, details: 'The message could not be read' }
    : null;
}

function statusOf(error: unknown, method: string, { onFault }: CallTaking): Status {
  if (error instanceof Fault && error.code === 'INPUT_INVALID') {
    return { code: codes.INVALID_ARGUMENT, details: error.message };
  }
  onFault(error, method);
  return { code: codes.INTERNAL, details: 'Internal error' };
}
