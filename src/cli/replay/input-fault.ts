import { Fault } from '../../core/fault.ts';

/** Faults of the input are the line's; everything else is ours and goes on. */
export function inputFault(cause: unknown): Fault {
  if (cause instanceof Fault && (cause.code === 'INPUT_INVALID' || cause.code === 'OPERATION_UNKNOWN'))
    return cause;
  throw cause;
}
