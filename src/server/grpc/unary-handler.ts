import type { handleUnaryCall, ServerUnaryCall } from '@grpc/grpc-js';
import { Fault } from '../../core/fault.ts';
import type { CallerTraits } from './caller-check.ts';
import { readerOf } from './caller-gate.ts';
import { isMalformed } from './grpc-library.ts';
import { statusCodes, unreadable } from './status-codes.ts';

/** How calls are taken in. */
export interface CallTaking {
  /** Told of faults of ours, with the method they were met on. */
  readonly onFault: (error: unknown, method: string) => void;
}

interface Status {
  readonly code: number;
  readonly details: string;
}

/**
 * Makes a handler of the library out of one that takes a message and gives one, now or later: refuses what cannot be read, and
 * turns what is thrown into a status. A call whose client has gone, or whose deadline has passed, is not run.
 */
export function unaryHandler<Message extends object, Answer extends object>(
  taking: CallTaking,
  handle: (message: Message, caller: CallerTraits) => Answer | Promise<Answer>,
): handleUnaryCall<Message, Answer> {
  return (call, callback) => {
    if (isMalformed(call.request)) return callback(unreadable);
    if (call.cancelled) return undefined;
    const fail = (error: unknown) => callback(statusOf(error, call.getPath(), taking));
    try {
      const answer = handle(call.request, new CallTraits(call));
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

  readonly metadata = (name: string): string | undefined => readerOf(this.#call.metadata)(name);
}

function statusOf(error: unknown, method: string, { onFault }: CallTaking): Status {
  if (error instanceof Fault && error.code === 'INPUT_INVALID') {
    return { code: statusCodes.INVALID_ARGUMENT, details: error.message };
  }
  onFault(error, method);
  return { code: statusCodes.INTERNAL, details: 'Internal error' };
}
