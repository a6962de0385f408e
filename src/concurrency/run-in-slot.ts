import type { Admitted } from './admission.ts';
import type { Ran } from './cap.ts';
import type { Slot } from './slot.ts';

/**
 * Runs `work` and gives the slot back, however it ends. Not an async function: every call goes through here, and
 * `then` is cheaper.
 */
export function runInSlot<T>(slot: Slot, work: (admitted: Admitted) => T | Promise<T>): Promise<Ran<T>> {
  const done = (value: T): Ran<T> => {
    slot.giveBack('done');
    return { admitted: true, value };
  };
  const failed = (error: unknown): never => {
    giveUp(slot);
    throw error;
  };
  try {
    const result = work(slot);
    return result instanceof Promise ? result.then(done, failed) : Promise.resolve(result).then(done, failed);
  } catch (error) {
    giveUp(slot);
    return Promise.reject(error);
  }
}

/** What throws because its caller has gone says nothing about the service. */
function giveUp(slot: Slot): void {
  slot.giveBack(slot.isAbandoned ? 'failed' : 'errored');
}
