import { Fault } from '../core/fault.ts';

/** Whether a call has failed because of what is stored, not because of the store. */
export function isUnreadable(cause: unknown): boolean {
  return cause instanceof Fault && cause.code === 'RECORD_CORRUPT';
}

/** What the reading gives, or undefined where the record cannot be read. */
export function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (cause) {
    if (isUnreadable(cause)) return undefined;
    throw cause;
  }
}
