import { Fault } from '../core/fault.ts';

/** Whether a call has failed because of its store. A bug, a record that cannot be read and misuse are something else. */
export function isStoreFailure(cause: unknown): cause is Fault {
  return cause instanceof Fault && cause.code.startsWith('STORE_');
}

/** The same of a store that may serve again. To use one that was closed is a bug of the host. */
export function isPassingFailure(cause: unknown): cause is Fault {
  return isStoreFailure(cause) && cause.code !== 'STORE_CLOSED';
}
