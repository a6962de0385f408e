import { STANDSTILL_MS } from '../../core/duration.ts';
import { Fault } from '../../core/fault.ts';
import type { Clock } from './clock.ts';

/**
 * Settles as `work` does, or rejects with `STORE_TIMEOUT` at the deadline; `work` goes on, unheard. Where this process
 * stood still meanwhile, the work has its time once more: it may have to wait for several answers, and the store for nothing
 * but this process.
 */
export function withinDeadline<T>(work: Promise<T>, deadlineMs: number | null, clock: Clock): Promise<T> {
  if (deadlineMs === null) return work;
  return new Promise((resolve, reject) => {
    const expire = (): void => {
      reject(new Fault('STORE_TIMEOUT', `The store did not answer within ${deadlineMs} ms.`));
    };
    const dueAt = clock.now() + deadlineMs;
    let cancel = clock.after(deadlineMs, () => {
      if (clock.now() - dueAt <= STANDSTILL_MS) expire();
      else cancel = clock.after(deadlineMs, expire);
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
