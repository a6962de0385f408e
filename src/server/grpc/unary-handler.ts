import type { MethodDefinition } from '@grpc/proto-loader';
import { Fault } from '../../core/fault.ts';
import type { CallerTraits } from './caller-check.ts';
import type { GrpcCall } from './grpc-call.ts';
import { codes, type GrpcStatus, unreadable } from './grpc-status.ts';
import { isMalformed } from './service-definitions.ts';

/** How calls are taken in. */
export interface CallTaking {
  /** Told of faults of ours, with the method they were met on. */
  readonly onFault: (error: unknown, method: string) => void;
}

/** Answers a call whose message is here. */
export type MessageHandler = (bytes: Buffer, call: GrpcCall, caller: CallerTraits) => void;

/**
 * Makes a handler of bytes out of one that takes a message and gives one, now or later: refuses what cannot be read, and
 * turns what is thrown into a status. A call whose client has gone, or whose deadline has passed, is not run.
 */
export function unaryHandler<Message extends object, Answer extends object>(
  method: MethodDefinition<object, object>,
  taking: CallTaking,
  handle: (message: Message, caller: CallerTraits) => Answer | Promise<Answer>,
): MessageHandler {
  return (bytes, call, caller) => {
    const message = method.requestDeserialize(bytes);
    if (isMalformed(message)) return call.refuse(unreadable);
    if (call.isOver) return undefined;
    const fail = (error: unknown) => call.refuse(statusOf(error, method.path, taking));
    const give = (answer: Answer) => call.end(method.responseSerialize(answer));
    try {
      const answer = handle(message as Message, caller);
      if (!(answer instanceof Promise)) return give(answer);
      answer.then(give).catch(fail);
    } catch (error) {
      fail(error);
    }
    return undefined;
  };
}

function statusOf(error: unknown, method: string, { onFault }: CallTaking): GrpcStatus {
  if (error instanceof Fault && error.code === 'INPUT_INVALID') {
    return { code: codes.INVALID_ARGUMENT, details: error.message };
  }
  onFault(error, method);
  return { code: codes.INTERNAL, details: 'Internal error' };
}
