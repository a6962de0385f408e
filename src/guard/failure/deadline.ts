import { Fault } from '../../core/fault.ts';
import type { Clock } from './clock.ts';

/** Settles as `work` does, or rejects with `STORE_TIMEOUT` at the deadline; `work` goes on, unheard. */
export function withinDeadline<T>(work: Promise<T>, deadlineMs: number | null, clock: Clock): Promise<T> {
  if (deadlineMs === null) return work;
  return new Promise((resolve, reject) => {
    const cancel = clock.after(deadlineMs, () => {
      reject(new Fault('STORE_TIMEOUT', `The store did not answer within ${deadlineMs} ms.`));
    });
    work.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (cause) => {
        cancel();
        reject(cause);
      },
    );
  });
}
